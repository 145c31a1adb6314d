// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

// The journal of an evolution in several transactions. Its table is there while one has begun.
extension SQLiteFile {
  private static let journalTable = "_roost_evolution"

  /// Reads the journal; nil when no evolution has begun.
  ///
  /// - Throws: `corruptStore` for a text that no store has written.
  static func journal(_ connection: SQLiteConnection) throws -> EvolutionJournal? {
    guard try hasJournal(connection) else { return nil }
    guard let json = try connection.text("SELECT json FROM \(journalTable) WHERE id = 1") else {
      throw PersistenceError(
        .corruptStore, "The store's journal of a migration that was begun is empty.")
    }
    return try EvolutionJournal(json: json)
  }

  /// Returns whether an evolution has begun.
  static func hasJournal(_ connection: SQLiteConnection) throws -> Bool {
    try connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(journalTable)'") == 1
  }

  /// Writes the journal, as part of the open transaction.
  static func writeJournal(
    _ journal: EvolutionJournal, _ connection: SQLiteConnection
  ) throws {
    try connection.run(
      "INSERT INTO \(journalTable) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET json = ?1",
      [.text(try journal.json())])
  }

  /// Makes the table of the journal, as part of the open transaction.
  static func makeJournal(_ connection: SQLiteConnection) throws {
    try connection.execute(
      "CREATE TABLE \(journalTable) (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL) "
        + "STRICT")
  }

  /// Removes the journal, as part of the open transaction.
  static func removeJournal(_ connection: SQLiteConnection) throws {
    try connection.execute("DROP TABLE \(journalTable)")
  }
}
