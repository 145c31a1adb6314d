// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import RoostConformance
import RoostInMemory
import RoostLMDB
import RoostPostgreSQL
import RoostSQLite
import RoostStore

/// The stores that the kit is run on.
enum StoresUnderTest {
  static let all: [StoreHarness] =
    [sqlite, lmdb, inMemory, binary, .reference] + (postgreSQL.map { [$0] } ?? [])

  /// PostgreSQL, where there is a server: each store is a separate schema.
  static let postgreSQL = TestDatabase.uri.map { uri in
    StoreHarness("PostgreSQL") { try .postgresql(uri, schema: "kit_\(UUID().uuidString)") }
  }

  static let sqlite = StoreHarness("SQLite") {
    .sqlite(at: folder.appending(path: "\(UUID().uuidString).sqlite"))
  }

  static let lmdb = StoreHarness("LMDB") {
    .lmdb(at: folder.appending(path: "\(UUID().uuidString).lmdb"))
  }

  static let binary = StoreHarness("Binary") {
    .binary(at: folder.appending(path: "\(UUID().uuidString).binary"))
  }

  static let inMemory = StoreHarness("InMemory") { .inMemory(named: UUID().uuidString) }

  /// A folder in memory if there is one with enough space: the kit tests semantics, and would spend most of its time
  /// waiting for the disk.
  private static let folder: URL = {
    let shared = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let system = try? FileManager.default.attributesOfFileSystem(forPath: shared.path)
    let free = (system?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
    let root =
      free > 1 << 30 && FileManager.default.isWritableFile(atPath: shared.path)
      ? shared : FileManager.default.temporaryDirectory
    return root.appending(path: "roost-conformance-\(UUID().uuidString)")
  }()

  /// Creates the folder before the first store, and removes it when the process ends.
  static let prepared: Void = {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: StoresUnderTest.folder) }
  }()
}
