// SPDX-License-Identifier: Apache-2.0

/// What `--across` measures, in this order.
enum AcrossWork: String, ComparedWork {
  case single, two, three, server, servers, prefetch, prefetchMany, hop

  static let heading = "Several stores as one"

  static let explanation = """
    Saves over several stores, in all of them or in none, beside the same commits one after the other; saves of one
    store beside another one; and a relationship into another store beside the same within one.
    """

  var title: String {
    switch self {
    case .single: "saves to one store, another one attached"
    case .two: "saves over two stores"
    case .three: "saves over three stores"
    case .server: "saves over this store and PostgreSQL"
    case .servers: "saves over two PostgreSQL servers"
    case .prefetch: "all with a prefetched object of another store"
    case .prefetchMany: "the other way round, to-many"
    case .hop: "count by a condition on the other store's objects"
    }
  }

  var unit: String { "ms" }

  func beside(_ store: StoreKind) -> String? {
    switch self {
    case .single: "alone"
    case .two, .three, .server, .servers: "one by one"
    case .prefetch, .prefetchMany, .hop: "within one"
    }
  }

  /// What cross-store.md asks for. Two stores of one PostgreSQL database are one transaction, and nothing in memory
  /// waits for a disk: they have no goal.
  func goal(_ store: StoreKind) -> Double? {
    let isFile = store == .sqlite || store == .lmdb
    switch self {
    // The goal of 1.005 is one of instructions; times are not known that well.
    case .single: return isFile ? 1.03 : nil
    case .two: return isFile ? 1.6 : nil
    case .three: return isFile ? 1.7 : nil
    case .server: return isFile ? 1.6 : nil
    case .servers: return 1.8
    case .prefetch: return 1.3
    case .prefetchMany: return nil
    case .hop: return 2
    }
  }
}
