// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostInMemory
import RoostLMDB
import RoostSQLite
import RoostStore

/// The kinds of stores that are files, and so can be fixtures.
enum FixtureKind: String, CaseIterable, Sendable {
  case sqlite, lmdb, binary

  var type: PersistentStoreType {
    switch self {
    case .sqlite: .sqlite
    case .lmdb: .lmdb
    case .binary: .binary
    }
  }

  /// Returns the kinds with files in a folder; all kinds when there are none.
  static func found(in folder: URL) -> [FixtureKind] {
    let path = folder.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let found = allCases.filter { kind in names.contains { $0.hasSuffix(".\(kind.rawValue)") } }
    return found.isEmpty ? allCases : found
  }
}
