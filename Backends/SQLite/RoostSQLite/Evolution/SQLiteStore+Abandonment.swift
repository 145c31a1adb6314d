// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

// An evolution that was begun and does not go on: of another model, of records that have changed since, or of a store
// whose program gives it up.
extension SQLiteStore {
  /// Removes what an evolution has made so far, one thing in each transaction. The values of the old version are
  /// elsewhere and stay.
  ///
  /// No transaction is open.
  func abandonEvolution(_ connection: SQLiteConnection) throws {
    while try connection.writing({ try abandonPart(connection) }) {}
  }

  /// Removes one thing.
  ///
  /// - Returns: Whether something is left.
  private func abandonPart(_ connection: SQLiteConnection) throws -> Bool {
    guard var journal = try SQLiteFile.journal(connection) else { return false }
    let names = SQLNames(
      try SQLiteFile.names(connection), lengthLimit: SQLDialect.sqlite.identifierLimit)
    if !journal.isAbandoned {
      journal.isAbandoned = true
      // Columns cannot be dropped while they are indexed.
      try dropUnknownIndexes(names, connection)
    } else if let step = journal.additions.first {
      try names.check(step)
      guard try finish(step, nil, connection) else { return true }
      journal.additions.removeFirst()
    } else {
      try SQLiteFile.removeJournal(connection)
      return false
    }
    try SQLiteFile.writeJournal(journal, connection)
    return true
  }

  private func dropUnknownIndexes(_ names: SQLNames, _ connection: SQLiteConnection) throws {
    let known = Set(names.identifiers.values)
    let query = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
    let unknown = try connection.withStatement(query) { statement in
      var found: [String] = []
      while try statement.step() {
        if let name = statement.string(0), SQLNames.isIdentifier(name), !known.contains(name) {
          found.append(name)
        }
      }
      return found
    }
    for name in unknown {
      let text = "DROP INDEX \(SQLDialect.sqlite.quoted(name))"
      log(text)
      try connection.execute(text)
    }
  }
}
