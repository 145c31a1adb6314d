// SPDX-License-Identifier: Apache-2.0

import CBenchSQLite
import Foundation
import Roost
import RoostSQLite

/// Two files of SQLite, side by side.
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

  var storeDescription: PersistentStoreDescription {
    var description = PersistentStoreDescription.sqlite(at: storeURL)
    if durability == .extra { description.setValue("EXTRA", forPragmaNamed: "synchronous") }
    return description
  }

  func openRaw() throws -> any RawDatabase {
    try RawSQLite(
      path: folder.appending(path: "raw.sqlite").path, synchronous: synchronous)
  }

  func storedBytes() -> Int? {
    byteCount(ofFilesAt: ["", "-wal"].map { storeURL.path + $0 })
  }
}
