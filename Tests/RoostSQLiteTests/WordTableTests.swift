// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import Testing

@testable import RoostSQLite

/// Tests of the indexes of words with a library that lacks FTS5.
@Suite struct WordTableTests {
  @Test("without FTS5 a column with an index of words can be removed (T10, T15)")
  func columnWithoutLibrary() throws {
    let connection = try SQLiteConnection(.memory, access: .create, timeout: 1)
    let table = WordTable(
      id: 1, table: "Note", column: "text", signature: SearchWords.signature, position: nil)
    let definitions = [
      "CREATE TABLE Note (_key INTEGER PRIMARY KEY, _version INTEGER, text TEXT) STRICT",
      """
      CREATE TABLE \(WordTables.registry) (id INTEGER PRIMARY KEY, place TEXT NOT NULL, \
      part TEXT NOT NULL, signature TEXT NOT NULL, position INTEGER) STRICT
      """,
      "INSERT INTO \(WordTables.registry) VALUES (1, 'Note', 'text', 'words', NULL)",
    ]
    for definition in definitions + table.tableDefinitions + table.triggerDefinitions {
      try connection.execute(definition)
    }
    let triggers = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"
    #expect(try connection.number(triggers) == 4)

    #expect(sqlite3_drop_modules(connection.handle, nil) == SQLITE_OK)
    try WordTables.drop(connection, log: { _ in }, where: { $0.column == "text" })
    try connection.execute("ALTER TABLE Note DROP COLUMN text")
    #expect(try connection.number(triggers) == 0)
  }
}
