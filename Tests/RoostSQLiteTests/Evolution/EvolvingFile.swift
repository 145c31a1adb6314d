// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQLite
import RoostStore
import TestEvolution

/// A SQLite store for migrations in a temporary folder, which is removed with it.
final class EvolvingFile {
  let url: URL
  let evolving: EvolvingStore

  private let batches: EvolutionBatches

  /// Makes a store.
  ///
  /// - Parameter batches: When an evolution is divided.
  init(
    _ version: TestModel, keepsModel: Bool = true, batches: EvolutionBatches = EvolutionBatches()
  ) throws {
    self.batches = batches
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "store.sqlite")
    evolving = try EvolvingStore(
      Self.description(url, batches), version, keepsModel: keepsModel)
  }

  deinit {
    evolving.store.close()
    try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
  }

  private static func description(
    _ url: URL, _ batches: EvolutionBatches
  ) -> PersistentStoreDescription {
    var description = PersistentStoreDescription.sqlite(at: url.path)
    description.timeout = 60
    description.log = StoreLog()
    description.evolution.batches = batches
    return description
  }

  /// Opens another store on the same file, prepared for a version.
  func second(_ version: TestModel) throws -> EvolvingStore {
    try EvolvingStore(Self.description(url, batches), version)
  }

  /// Closes the store, which checkpoints the WAL, and returns the bytes of the file.
  func bytes() throws -> Data {
    evolving.store.close()
    return try Data(contentsOf: url)
  }
}
