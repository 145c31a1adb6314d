// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests of tables, columns and indexes that another program has removed or changed.
@Suite struct ChangedSchemaTests {
  /// Runs SQL of another program on a closed store with one record, and opens it again.
  private func reopen(after sql: String, readOnly: Bool = false) throws -> Office {
    let office = try Office()
    try office.insert(office.names.person, ["nick": .string("a")])
    office.store.close()
    let database = RawDatabase(try #require(office.description.url))
    #expect(database.run(sql) == 0, "\(sql)")
    if readOnly {
      try office.second { $0.isReadOnly = true }.close()
    } else {
      try office.reopen()
    }
    return office
  }

  @Test(
    "a table or column that others removed or changed is not made anew, but named (B14)",
    arguments: [
      ("DROP TABLE Person", "Person"),
      ("ALTER TABLE Person RENAME TO People", "Person"),
      ("DROP INDEX IF EXISTS x; ALTER TABLE Tag DROP COLUMN name", "name"),
      ("ALTER TABLE Tag RENAME COLUMN name TO title", "name"),
      (
        "ALTER TABLE Tag RENAME TO old; CREATE TABLE Tag (_key INTEGER PRIMARY KEY, "
          + "_version INTEGER NOT NULL, name INTEGER) STRICT", "name"
      ),
      ("DROP TABLE Tag; CREATE TABLE Tag (_key INTEGER PRIMARY KEY, name TEXT) STRICT", "_version"),
    ], [false, true])
  func removed(_ change: (sql: String, name: String), readOnly: Bool) throws {
    let error = #expect(throws: PersistenceError.self) {
      _ = try reopen(after: change.sql, readOnly: readOnly)
    }
    #expect(error?.code == .persistentStoreIncompatibleSchema, "\(String(describing: error))")
    #expect(error?.message.contains("“\(change.name)”") == true, "\(String(describing: error))")
  }

  @Test("every table that a store has made is missed (B14)")
  func everyTable() throws {
    let office = try Office()
    let url = try #require(office.description.url)
    office.store.close()
    let whole = try Data(contentsOf: url)
    let list =
      "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE"
      + " 'sqlite%'"
    let tables = try #require(RawDatabase(url).text(list)).split(separator: ",")
    #expect(tables.count > 5)
    for table in tables {
      try whole.write(to: url)
      #expect(RawDatabase(url).run("DROP TABLE \"\(table)\"") == 0)
      let error = #expect(throws: PersistenceError.self, "\(table)") { try office.reopen() }
      let code: PersistenceError.Code =
        table.hasPrefix("_roost") ? .corruptStore : .persistentStoreIncompatibleSchema
      #expect(error?.code == code, "\(table): \(String(describing: error))")
      #expect(error?.message.contains(table) == true, "\(table): \(String(describing: error))")
    }
    try whole.write(to: url)
    try office.reopen()
  }

  @Test("an index that others removed is made anew, of the records (B14)")
  func index() throws {
    let office = try Office()
    let url = try #require(office.description.url)
    try office.insert(office.names.person, ["nick": .string("a")])
    office.store.close()
    let count = "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
    let before = RawDatabase(url).text(count)
    let list =
      "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
    for index in try #require(RawDatabase(url).text(list)).split(separator: ",") {
      #expect(RawDatabase(url).run("DROP INDEX \"\(index)\"") == 0)
    }
    try office.reopen()
    #expect(try office.all(office.names.person).count == 1)
    office.store.close()
    #expect(RawDatabase(url).text(count) == before)
  }
}
