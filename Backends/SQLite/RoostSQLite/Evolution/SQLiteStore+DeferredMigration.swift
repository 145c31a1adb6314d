// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

// Deferred steps of a migration. Every step is one transaction, which also records that it is done.
extension SQLiteStore {
  /// The number of records of a removed table that one transaction deletes.
  private static let portion = 10_000

  package func finishDeferredStep(isEvolving: Bool) throws -> Bool {
    guard metadata.hasDeferredMigration else { return false }
    let mapping = isEvolving ? nil : try prepared().mapping
    return try translating {
      guard !isReadOnly else {
        throw PersistenceError(
          .readOnlyStore, "A migration has left something to be done, and the store is read-only.")
      }
      return try pool.write(cancellation) { connection in
        let metadata = try connection.sortingOnDisk {
          try connection.writing {
            try pool.checkVersion(connection)
            // Another process may have done it, or a part of it.
            var metadata = try SQLiteFile.metadata(connection)
            guard let step = metadata.nextDeferredStep(isEvolving: isEvolving),
              try connection.interruptible({ try finish(step, mapping, connection) })
            else { return metadata }
            metadata.removeDeferredStep(step)
            try SQLiteFile.writeMetadata(metadata, connection)
            return metadata
          }
        }
        setMetadata { _ in metadata }
        return metadata.nextDeferredStep(isEvolving: isEvolving) != nil
      }
    }
  }

  /// Runs a step, or a portion of it.
  ///
  /// - Parameter mapping: The tables of the model, which are needed to build an index.
  /// - Returns: Whether the step is done.
  func finish(
    _ step: DeferredStep, _ mapping: SQLSchema?, _ connection: SQLiteConnection
  ) throws -> Bool {
    try SQLNames(
      SQLiteFile.names(connection), lengthLimit: SQLDialect.sqlite.identifierLimit
    ).check(step)
    let table = SQLDialect.sqlite.quoted(step.place)
    switch step.kind {
    case .records: return true
    case .column:
      guard let column = step.part, try columns(ofTable: step.place, connection).contains(column)
      else { return true }
      try WordTables.drop(connection, log: { log($0) }) {
        $0.table == step.place && $0.column == column
      }
      try execute(
        "ALTER TABLE \(table) DROP COLUMN \(SQLDialect.sqlite.quoted(column))", connection)
      return true
    case .table:
      let columns = try columns(ofTable: step.place, connection)
      guard !columns.isEmpty else { return true }
      try WordTables.drop(connection, log: { log($0) }) { $0.table == step.place }
      let key = SQLDialect.sqlite.quoted(
        columns.contains(SQLTable.key) ? SQLTable.key : SQLLinkTable.source)
      try execute(
        "DELETE FROM \(table) WHERE \(key) <= (SELECT max(k) FROM (SELECT \(key) AS k"
          + " FROM \(table) ORDER BY \(key) LIMIT \(Self.portion)))", connection)
      guard connection.changes == 0 else { return false }
      try execute("DROP TABLE \(table)", connection)
      return true
    case .index:
      guard let mapping, let (table, index) = mapping.laterIndex(step.place),
        try connection.number(
          "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = "
            + "'\(step.place)'") == 0
      else { return true }
      try execute(mapping.definition(index, on: table), connection)
      return true
    }
  }

  private func execute(_ statement: String, _ connection: SQLiteConnection) throws {
    log(statement)
    try connection.run(statement)
  }

  private func columns(
    ofTable name: String, _ connection: SQLiteConnection
  ) throws -> Set<String> {
    try connection.withStatement("SELECT name FROM pragma_table_info(?1)", [.text(name)]) {
      statement in
      var columns: Set<String> = []
      while try statement.step() { columns.insert(statement.string(0) ?? "") }
      return columns
    }
  }
}
