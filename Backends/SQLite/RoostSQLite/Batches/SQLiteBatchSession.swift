// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// The keys of a batch deletion in a temporary table of the connection, so that they need not be loaded into the
/// process.
final class SQLiteBatchSession: SQLBatchSession {
  private let connection: SQLiteConnection
  private let statementLog: StoreLog?
  private let table = SQLSetStatement.table
  /// The step from which on an index finds the records of a step: most deletions have fewer steps.
  private static let indexedStep = 3

  init(_ connection: SQLiteConnection, log: StoreLog?) throws {
    self.connection = connection
    statementLog = log
    try connection.run(
      "CREATE TEMP TABLE IF NOT EXISTS _roost_batch (key INTEGER PRIMARY KEY, step INTEGER NOT NULL) "
        + "STRICT")
  }

  /// Removes the keys.
  func end() {
    // If the transaction is rolled back, the keys are gone anyway.
    try? connection.run("DELETE FROM \(table)")
  }

  func collect(_ statement: SQLSetStatement, step: Int) throws -> Int {
    if step == Self.indexedStep {
      try connection.run("CREATE INDEX IF NOT EXISTS temp._roost_batch_step ON _roost_batch (step)")
    }
    let place = statement.bindings.count + 1
    let text =
      "INSERT OR IGNORE INTO \(table) SELECT \"_key\", ?\(place) FROM (\(statement.text))"
    statementLog?.statement(text)
    try connection.run(text, statement.bindings + [.integer(Int64(step))])
    return connection.changes
  }

  func codes(ofStep step: Int) throws -> [Int] {
    try codes("WHERE step = ?1", [.integer(Int64(step))])
  }

  /// Returns the codes of the entities of all records, ascending.
  func codes() throws -> [Int] { try codes("") }

  private func codes(_ condition: String, _ values: [SQLValue] = []) throws -> [Int] {
    let text = "SELECT DISTINCT key & 4095 FROM \(table) \(condition) ORDER BY 1"
    statementLog?.statement(text)
    return try connection.withStatement(text, values) { statement in
      var codes: [Int] = []
      while try statement.step() { codes.append(Int(statement.integer(0))) }
      return codes
    }
  }

  func run(_ statement: SQLSetStatement) throws -> Int {
    statementLog?.statement(statement.text)
    try connection.run(statement.text, statement.bindings)
    return connection.changes
  }

  func forEachRow(
    of statement: SQLSetStatement, flags: Int, _ body: (Int64, [Bool]) throws -> Void
  ) throws {
    statementLog?.statement(statement.text)
    try connection.withStatement(statement.text, statement.bindings) { statement in
      while try statement.step() {
        try body(statement.integer(0), (0..<flags).map { statement.integer(Int32($0 + 1)) != 0 })
      }
    }
  }

  func keys() throws -> [Int64] {
    let text = "SELECT key FROM \(table) ORDER BY step, key"
    statementLog?.statement(text)
    return try connection.withStatement(text) { statement in
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.integer(0)) }
      return keys
    }
  }

  func locking(_ alias: String) -> String { "" }
}
