// SPDX-License-Identifier: Apache-2.0

/// The stores that can be measured, as they are named on the command line and in files.
enum StoreKind: String, Codable, CaseIterable, Comparable {
  case sqlite, postgresql, lmdb, memory

  /// The name as its vendor writes it.
  var title: String {
    switch self {
    case .sqlite: "SQLite"
    case .postgresql: "PostgreSQL"
    case .lmdb: "LMDB"
    case .memory: "memory"
    }
  }

  /// Whether the engine has settings with a large effect, and therefore a tuned baseline.
  var hasSettings: Bool { self == .sqlite }

  static func < (left: StoreKind, right: StoreKind) -> Bool {
    let order = Self.allCases
    return order.firstIndex(of: left) ?? 0 < order.firstIndex(of: right) ?? 0
  }
}
