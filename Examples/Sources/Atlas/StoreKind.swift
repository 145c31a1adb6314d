// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostLMDB
import RoostPostgreSQL
import RoostSQLite

/// The kinds of stores that can keep the codes. Together with `Stores`, the only place that names a backend.
enum StoreKind: String, CaseIterable {
  case sqlite
  case lmdb
  case postgresql
  case memory

  /// The kind from `--store NAME`; nil for the tour's own choice.
  @MainActor static var asked: StoreKind?

  /// The server's URI. `make demo` starts a private server and sets it.
  private static let server = ProcessInfo.processInfo.environment["DATABASE_URL"]

  /// Why there can be no such store here; nil when there can be one.
  var hindrance: String? {
    self == .postgresql && Self.server == nil ? "DATABASE_URL names no server" : nil
  }

  /// A store of this kind that belongs to a folder.
  func description(in folder: URL) throws -> PersistentStoreDescription {
    let configuration = Configuration.reference
    let name = folder.lastPathComponent
    switch self {
    case .sqlite:
      return .sqlite(at: folder.appending(path: "atlas.sqlite"), configuration: configuration)
    case .lmdb:
      return .lmdb(at: folder.appending(path: "atlas.lmdb"), configuration: configuration)
    case .postgresql:
      return try .postgresql(Self.server ?? "", schema: name, configuration: configuration)
    case .memory:
      return .inMemory(named: name, configuration: configuration)
    }
  }
}
