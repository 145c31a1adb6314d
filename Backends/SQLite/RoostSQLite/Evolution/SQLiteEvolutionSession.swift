// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import RoostSQL
import RoostStore

/// The statements of an evolution in the open transaction of a connection.
struct SQLiteEvolutionSession: SQLEvolutionSession {
  private let store: SQLiteStore
  private let prepared: PreparedSchema
  private let connection: SQLiteConnection

  init(_ store: SQLiteStore, _ prepared: PreparedSchema, _ connection: SQLiteConnection) {
    self.store = store
    self.prepared = prepared
    self.connection = connection
  }

  func define(_ statement: String) throws {
    store.log(statement)
    try connection.execute(statement)
  }

  func remove(_ statement: String) throws -> Bool {
    // Objects of other programs were refused before the evolution began.
    try define(statement)
    return true
  }

  func write(_ statement: String, _ values: [SQLValue]) throws -> Int {
    store.log(statement)
    try connection.run(statement, values)
    return connection.changes
  }

  func read(_ statement: String, _ values: [SQLValue]) throws -> [[SQLValue]] {
    store.log(statement)
    return try connection.withStatement(statement, values) { statement in
      var rows: [[SQLValue]] = []
      while try statement.step() {
        rows.append(
          try (0..<Int32(statement.columnCount)).map { column in
            switch sqlite3_column_type(statement.handle, column) {
            case SQLITE_NULL: return .null
            case SQLITE_INTEGER: return .integer(statement.integer(column))
            default:
              guard let text = statement.string(column) else {
                throw PersistenceError(
                  .corruptStore, "A stored text is no valid UTF-8, so it cannot be converted.")
              }
              return .text(text)
            }
          })
      }
      return rows
    }
  }

  func write(_ rows: [Row], _ slots: [RowSlot], of entity: SQLEntity) throws {
    let text = prepared.mapping.update(entity, slots: slots)
    store.log(text)
    try connection.withStatement(text) { statement in
      for row in rows {
        try statement.bind(row.key, at: 1)
        try statement.bind(version: row.version, at: 2)
        try statement.bind(version: row.version, at: 3)
        connection.rowWriter.beginStatement()
        try connection.rowWriter.bind(slots, of: row, to: statement, from: 4)
        try statement.run()
        statement.reset()
      }
    }
  }

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    try store.rows(keys, prepared, connection)
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try store.destinations(of: relationship, sources, prepared, connection)
  }
}
