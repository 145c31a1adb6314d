// SPDX-License-Identifier: Apache-2.0

/// What `--evolution` measures, in this order: each opens the store with another version of the model.
enum EvolutionWork: String, ComparedWork {
  case unchanged, plan, add, rename, remove, toMany, mapped, policy, epoch
  /// On PostgreSQL, while programs of the old version save.
  case online, onlineSaves, onlineLongest

  static let heading = "Stores that follow their model"

  static let explanation = """
    A store is opened with the next version of its model, beside a program that opens its own tables and writes the
    statement, or calls LMDB; what has no other way stands alone. Online, programs of the old version save all the time.
    """

  var title: String {
    switch self {
    case .unchanged: "open, nothing to migrate"
    case .plan: "plan of a new attribute, a dry run"
    case .add: "a new attribute with a default"
    case .rename: "an attribute is called otherwise"
    case .remove: "an attribute goes"
    case .toMany: "a relationship becomes to-many"
    case .mapped: "a mapping model, without policies"
    case .policy: "a mapping model, with a policy in Swift"
    case .epoch: "the look at the store's version, in W8"
    case .online: "all of that online, beside savers"
    case .onlineSaves: "a save meanwhile, the 99th percentile"
    case .onlineLongest: "a save meanwhile, the longest"
    }
  }

  var unit: String { "ms" }

  func beside(_ store: StoreKind) -> String? {
    let hasStatements = store == .sqlite || store == .postgresql
    switch self {
    case .plan, .onlineLongest: return nil
    case .unchanged: return "refusing versions"
    case .add, .rename, .remove: return hasStatements ? "by hand" : nil
    case .toMany: return hasStatements ? "by hand" : store == .lmdb ? "in C" : nil
    case .mapped, .policy: return store == .sqlite || store == .lmdb ? "copied" : nil
    case .epoch: return "deleting"
    case .online: return "offline"
    case .onlineSaves: return "before"
    }
  }

  /// What evolution.md asks for. Where there is nothing to compare with, the limit is a time.
  func goal(_ store: StoreKind) -> Double? {
    let isCompared = beside(store) != nil
    switch self {
    case .unchanged: return 1.02
    case .plan: return 50
    case .add: return isCompared ? 1.5 : 100
    case .rename: return isCompared ? nil : 20
    case .remove: return isCompared ? 1.1 : nil
    case .toMany: return isCompared ? 1.3 : nil
    case .mapped: return isCompared ? 2 : nil
    case .policy: return isCompared ? 6 : nil
    case .epoch: return 0.01
    case .online: return 5
    case .onlineSaves: return 3
    case .onlineLongest: return 100
    }
  }
}
