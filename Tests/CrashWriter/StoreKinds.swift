// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import Roost
import RoostInMemory
import RoostLMDB
import RoostSQLite

extension StoreKind {
  /// The kinds of stores, most of which survive the end of a process. To test another store, add a line.
  static let all = [
    StoreKind(name: "sqlite", describe: { .sqlite(at: $0) }, findDamage: sqliteDamage),
    // A file that is migrated in many transactions, however small it is.
    StoreKind(
      name: "sqlite-divided",
      describe: { url in
        var description = PersistentStoreDescription.sqlite(at: url)
        description.evolution.batches.largestLog = 0
        description.evolution.batches.bytes = 256 << 10
        description.evolution.batches.records = 32
        return description
      }, findDamage: sqliteDamage),
    StoreKind(
      name: "lmdb",
      describe: { url in
        // A small initial map size, so that the file grows while processes are killed.
        var description = PersistentStoreDescription.lmdb(at: url)
        description.options[LMDBOption.initialSize] = .integer(512 << 10)
        return description
      }),
    // One whose indexes are filled in many transactions, however small they are.
    StoreKind(
      name: "lmdb-divided",
      describe: { url in
        var description = PersistentStoreDescription.lmdb(at: url)
        description.options[LMDBOption.initialSize] = .integer(512 << 10)
        description.evolution.batches.largestLog = 0
        description.evolution.batches.records = 32
        return description
      }),
    .postgreSQL,
    .separatePostgreSQL,
    .secondPostgreSQL,
    StoreKind(name: "binary", isShared: false, describe: { .binary(at: $0) }),
    StoreKind(
      name: "memory", isShared: false, describe: { .inMemory(named: $0.path) },
      remove: { url in
        let description = PersistentStoreDescription.inMemory(named: url.path)
        try description.type.driver.destroy(description)
      }),
  ]

  static func named(_ name: String) -> StoreKind? {
    if name.hasSuffix(historySuffix) {
      return named(String(name.dropLast(historySuffix.count)))?.keepingHistory
    }
    return all.first { $0.name == name }
  }

  /// Returns the damage that SQLite's integrity check finds in a database.
  @Sendable private static func sqliteDamage(_ url: URL) -> String? {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(database)
    }
    guard sqlite3_open(url.path(percentEncoded: false), &database) == SQLITE_OK,
      sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { return "it cannot be checked" }
    let answer = String(cString: text)
    return answer == "ok" ? nil : answer
  }
}
