// SPDX-License-Identifier: Apache-2.0

import CBenchLMDB
import Foundation
import Roost
import RoostLMDB

/// Two environments of LMDB, side by side.
final class LMDBEngine: Engine {
  private let folder: URL
  private let durability: Durability

  init(folder: URL, durability: Durability) throws {
    guard durability != .extra else {
      throw BenchError("The LMDB store has no extra durability: full or relaxed.")
    }
    self.folder = folder
    self.durability = durability
  }

  var kind: StoreKind { .lmdb }
  var version: String { "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)" }
  var placeForChild: String? { folder.path }
  private var storeURL: URL { folder.appending(path: "roost.lmdb") }

  var durabilityNote: String {
    durability == .full
      ? "commits are flushed" : "the last commit may be lost with the power (MDB_NOMETASYNC)"
  }

  var storeDescription: PersistentStoreDescription { storeDescription(numbered: 0) }

  func storeDescription(numbered number: Int) -> PersistentStoreDescription {
    .lmdb(
      at: number == 0 ? storeURL : folder.appending(path: "roost-\(number).lmdb"),
      durability: durability == .full ? .powerLoss : .processDeathButMayLoseLastSaveOnPowerLoss)
  }

  func openRaw(_ baseline: Baseline) throws -> any RawDatabase {
    let place = folder.appending(path: "raw")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    return try RawLMDB(path: place.path, waitsForEnd: durability == .full)
  }

  /// A process must not open a file twice, and LMDB lets one thread write at a time, so several are no faster.
  func openRaw(threads: Int) throws -> [any RawDatabase]? {
    threads == 1 ? [try openRaw(.raw)] : nil
  }

  func storedBytes() -> Int? { byteCount(ofFilesAt: [storeURL.path]) }
}
