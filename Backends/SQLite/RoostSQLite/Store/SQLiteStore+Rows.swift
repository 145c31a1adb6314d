// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQL
package import RoostStore

extension SQLiteStore {
  package func rows(forKeys keys: [Int64]) throws -> [Row] {
    let prepared = try prepared()
    return try translating {
      try pool.read { connection in
        // One record needs no snapshot around it.
        guard keys.count > 1 else { return try rows(keys, prepared, connection) }
        return try connection.reading { try rows(keys, prepared, connection) }
      }
    }
  }

  /// Reads records one after the other by a prepared statement: a call costs no round trip here.
  func rows(
    _ keys: [Int64], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(keys.count)
    var current: (code: Int, type: SQLiteRecordType, statement: SQLiteStatement)?
    defer { current?.statement.finish() }
    for key in keys {
      let code = RecordKey.entityCode(of: key)
      if current?.code != code {
        current?.statement.finish()
        current = nil
        let type = try prepared.recordType(ofKey: key)
        log(type.select)
        current = (code, type, try connection.statement(type.select))
      }
      guard let (_, type, statement) = current else { continue }
      try statement.bind(key, at: 1)
      if try statement.step() {
        let version = statement.integer(0)
        rows.append(try type.reader.row(from: statement, key: key, version: version))
      }
      statement.reset()
    }
    return rows
  }

  package func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let prepared = try prepared()
    return try translating {
      try pool.read { connection in
        try connection.reading {
          try destinations(of: relationship, sources, prepared, connection)
        }
      }
    }
  }

  /// Reads destinations inside of a transaction.
  func destinations(
    of relationship: RelationshipDescription, _ sources: [Int64], _ prepared: PreparedSchema,
    _ connection: SQLiteConnection
  ) throws -> RelationshipDestinations {
    guard let query = prepared.mapping.selectDestinations(of: relationship) else {
      throw PersistenceError(
        .persistentStoreOperation, "The store does not hold the destinations of the relationship.",
        entityName: relationship.entity?.name, key: relationship.name, store: identity.identifier)
    }
    log(query)
    return try destinations(query, sources, connection)
  }

  private func destinations(
    _ query: String, _ sources: [Int64], _ connection: SQLiteConnection
  ) throws -> RelationshipDestinations {
    try connection.withStatement(query) { statement in
      let isOrdered = statement.columnCount > 1
      var result = RelationshipDestinations(offsets: [0], keys: [])
      result.offsets.reserveCapacity(sources.count + 1)
      for source in sources {
        try statement.bind(source, at: 1)
        while try statement.step() {
          result.keys.append(statement.integer(0))
          if isOrdered { result.positions.append(statement.integer(1)) }
        }
        statement.reset()
        result.offsets.append(result.keys.count)
      }
      return result
    }
  }
}
