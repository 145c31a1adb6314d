// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The end of an evolution that was begun and does not go on: of another model, of records that have changed since, or
/// of a store whose program gives it up.
struct EvolutionAbandonment {
  let store: SQLiteStore
  let connection: SQLiteConnection

  /// Removes what an evolution has made so far, one thing in each transaction. The values of the old version are
  /// elsewhere and stay.
  ///
  /// No transaction is open.
  func run() throws {
    while try connection.writing(removePart) {}
  }

  /// Removes one thing.
  ///
  /// - Returns: Whether something is left.
  private func removePart() throws -> Bool {
    guard var journal = try SQLiteFile.journal(connection) else { return false }
    if !journal.isAbandoned {
      journal.isAbandoned = true
      // Columns cannot be dropped while they are indexed.
      try dropUnknownIndexes()
    } else if let step = journal.additions.first {
      // It refuses what the model uses.
      guard try store.finish(step, nil, connection) else { return true }
      journal.additions.removeFirst()
    } else {
      try SQLiteFile.removeJournal(connection)
      return false
    }
    try SQLiteFile.writeJournal(journal, connection)
    return true
  }

  private func dropUnknownIndexes() throws {
    let known = Set(try SQLiteFile.names(connection).values)
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
      store.log(text)
      try connection.execute(text)
    }
  }
}
