// SPDX-License-Identifier: Apache-2.0

import CBenchSQLite
import Foundation
import Roost
import RoostSQLite

/// Files of SQLite, side by side: Roost's, and those of direct calls.
final class SQLiteEngine: Engine {
  private let folder: URL
  private let durability: Durability

  init(folder: URL, durability: Durability) throws {
    guard durability != .relaxed else {
      throw BenchError("The SQLite store has no relaxed durability: full or extra.")
    }
    self.folder = folder
    self.durability = durability
  }

  var kind: StoreKind { .sqlite }
  var version: String { "SQLite \(String(cString: sqlite3_libversion()))" }
  var durabilityNote: String { "WAL, synchronous = \(synchronous)" }
  var placeForChild: String? { folder.path }
  private var synchronous: String { durability == .extra ? "EXTRA" : "FULL" }
  private var storeURL: URL { folder.appending(path: "roost.sqlite") }

  var storeDescription: PersistentStoreDescription { storeDescription(numbered: 0) }

  func storeDescription(numbered number: Int) -> PersistentStoreDescription {
    let url = number == 0 ? storeURL : folder.appending(path: "roost-\(number).sqlite")
    var description = PersistentStoreDescription.sqlite(at: url)
    if durability == .extra { description.setValue("EXTRA", forPragmaNamed: "synchronous") }
    return description
  }

  func openRaw(_ baseline: Baseline) throws -> any RawDatabase {
    let isTuned = baseline == .tuned
    return try RawSQLite(
      path: folder.appending(path: isTuned ? "tuned.sqlite" : "raw.sqlite").path,
      synchronous: synchronous, isTuned: isTuned)
  }

  func storedBytes() -> Int? {
    byteCount(ofFilesAt: ["", "-wal"].map { storeURL.path + $0 })
  }
}
