// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostModel
import RoostSQL
import RoostStore

/// The statements of an evolution in the open transaction of a connection.
struct PostgreSQLEvolutionSession: SQLEvolutionSession {
  private let store: PostgreSQLStore
  private let prepared: PreparedSchema
  private let connection: PostgreSQLConnection

  init(
    _ store: PostgreSQLStore, _ prepared: PreparedSchema, _ connection: PostgreSQLConnection
  ) {
    self.store = store
    self.prepared = prepared
    self.connection = connection
  }

  func define(_ statement: String) throws {
    store.log(statement)
    try connection.run(.once(statement))
  }

  func remove(_ statement: String) throws -> Bool {
    store.log(statement)
    let outcome = try connection.run([
      .once("SAVEPOINT roost_removal"), .once(statement), .once("RELEASE SAVEPOINT roost_removal"),
    ])
    guard let failure = outcome.failure else { return true }
    // Usually a view of another program.
    guard failure.error.hasDependents else { throw failure.error }
    _ = try connection.run([
      .once("ROLLBACK TO SAVEPOINT roost_removal"), .once("RELEASE SAVEPOINT roost_removal"),
    ]).get()
    return false
  }

  func write(_ statement: String, _ values: [SQLValue]) throws -> Int {
    store.log(statement)
    return try connection.run(PostgreSQLCommand(statement, values, isKept: false)).affected
  }

  func read(_ statement: String, _ values: [SQLValue]) throws -> [[SQLValue]] {
    store.log(statement)
    let result = try connection.run(PostgreSQLCommand(statement, values, isKept: false))
    let isText = (0..<Int32(result.columnCount)).map {
      PQftype(result.handle, $0) == PostgreSQLType.text.number
    }
    return (0..<result.count).map { row in
      isText.indices.map { column in
        let column = Int32(column)
        guard PQgetisnull(result.handle, row, column) == 0 else { return .null }
        guard isText[Int(column)] else { return .integer(result.integer(row, column)) }
        return result.text(row, column).map(SQLValue.text) ?? .null
      }
    }
  }

  func write(_ rows: [Row], _ slots: [RowSlot], of entity: SQLEntity) throws {
    guard !rows.isEmpty else { return }
    var parameters = Parameters(capacity: 128 + rows.count * 24 * (slots.count + 2))
    try parameters.append(rows.map(\.key))
    try parameters.append(rows.map(\.version))
    for slot in slots {
      try parameters.appendList(of: PostgreSQLType(slot.kind), count: rows.count) { buffer in
        for row in rows { try RowWriter.append(slot, of: row, to: buffer) }
      }
    }
    let text = prepared.mapping.updateMany(entity, slots: slots)
    store.log(text)
    try connection.run(PostgreSQLCommand(text, parameters, isKept: false))
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
