// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
package import RoostStore

/// The records of other stores that a schema refers to, in a table that is created with the first reference.
struct PostgreSQLForeignReferences: StoreForeignReferences {
  let store: PostgreSQLStore

  func intern(_ references: [ForeignReference]) throws -> [Int64] {
    let known = try numbers(of: references)
    if known.allSatisfy({ $0 != nil }) { return known.compactMap(\.self) }
    return try writing { connection in
      let table = connection.namespace.foreignTable
      var commands: [PostgreSQLCommand] = [
        .begin, .once(turn(connection.namespace)),
        .once(
          "CREATE TABLE IF NOT EXISTS \(table) "
            + "(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
            + "store text NOT NULL, key bigint NOT NULL, entity text NOT NULL, UNIQUE (store, key))"
        ),
        connection.namespace.raisingFormat,
      ]
      let missing = zip(references, known).filter { $1 == nil }.map(\.0)
      for ((name, entity), keys) in Self.grouped(missing) {
        var parameters = Parameters()
        parameters.append(name)
        parameters.append(entity)
        try parameters.append(keys)
        // A conflict would waste a number of the sequence, so only missing references are inserted.
        let insertion =
          "INSERT INTO \(table) (store, entity, key) SELECT $1, $2, k FROM pg_catalog.unnest($3) "
          + "AS keys (k) WHERE NOT EXISTS (SELECT FROM \(table) AS f WHERE f.store = $1 "
          + "AND f.key = k)"
        store.log(insertion)
        commands.append(PostgreSQLCommand(insertion, parameters, isKept: false))
      }
      _ = try connection.run(commands).get()
      let numbers = try numbers(of: references, connection)
      _ = try connection.run([.commit]).get()
      return try numbers.map { number in
        guard let number, number <= ForeignNumber.largest else {
          throw ForeignNumber.exhausted(store: store.identity.identifier)
        }
        return number
      }
    }
  }

  func numbers(of references: [ForeignReference]) throws -> [Int64?] {
    try reading { connection in
      guard try isThere(connection) else {
        return [Int64?](repeating: nil, count: references.count)
      }
      return try numbers(of: references, connection)
    }
  }

  func forEachReference(
    in numbers: ClosedRange<Int64>, _ body: (Int64, ForeignReference) throws -> Void
  ) throws {
    let found = try reading { connection -> PostgreSQLResult? in
      guard try isThere(connection) else { return nil }
      let query =
        "SELECT id, key, store, entity FROM \(connection.namespace.foreignTable) "
        + "WHERE id BETWEEN $1 AND $2 ORDER BY id"
      store.log(query)
      return try connection.run(
        PostgreSQLCommand(
          query, [.integer(numbers.lowerBound), .integer(numbers.upperBound)], isKept: false))
    }
    guard let found else { return }
    for row in 0..<found.count {
      guard let name = found.text(row, 2), let entity = found.text(row, 3) else { continue }
      try body(
        found.integer(row, 0),
        ForeignReference(store: name, key: found.integer(row, 1), entity: entity))
    }
  }

  func rewrite(_ changes: [(number: Int64, reference: ForeignReference)]) throws {
    try writing { connection in
      guard try isThere(connection) else { return }
      let table = connection.namespace.foreignTable
      // All at once: the old reference of one number may be the new reference of another one.
      var commands: [PostgreSQLCommand] = [
        .begin, .once(turn(connection.namespace)),
        try PostgreSQLCommand(
          "UPDATE \(table) SET store = '', key = -id WHERE id = ANY ($1)",
          [.list(SQLList(changes.map { .integer($0.number) }))], isKept: false),
      ]
      for (number, reference) in changes {
        commands.append(
          try PostgreSQLCommand(
            "UPDATE \(table) SET store = $2, key = $3, entity = $4 WHERE id = $1",
            [
              .integer(number), .text(reference.store), .integer(reference.key),
              .text(reference.entity),
            ]))
      }
      _ = try connection.run(commands + [.commit]).get()
    }
  }

  // MARK: - Statements

  /// Returns the statement that lets one session at a time assign numbers, even before the table exists.
  private func turn(_ namespace: PostgreSQLNamespace) -> String {
    "SELECT pg_catalog.pg_advisory_xact_lock(\(PostgreSQLNamespace.lockSpace), "
      + "CAST(\(namespace.identity(of: namespace.sequence)) AS integer))"
  }

  private func isThere(_ connection: PostgreSQLConnection) throws -> Bool {
    let name = PostgreSQLNamespace.literal(connection.namespace.foreignTable)
    return try connection.run(.once("SELECT pg_catalog.to_regclass(\(name)) IS NOT NULL")).isTrue()
  }

  private struct Target: Hashable {
    var store: String
    var entity: String
  }

  private static func grouped(
    _ references: [ForeignReference]
  ) -> [(target: (store: String, entity: String), keys: [Int64])] {
    var keys: [Target: [Int64]] = [:]
    for reference in references {
      keys[Target(store: reference.store, entity: reference.entity), default: []]
        .append(reference.key)
    }
    return keys.map { (($0.store, $0.entity), $1) }
  }

  private func numbers(
    of references: [ForeignReference], _ connection: PostgreSQLConnection
  ) throws -> [Int64?] {
    var places: [String: [Int64: [Int]]] = [:]
    for (index, reference) in references.enumerated() {
      places[reference.store, default: [:]][reference.key, default: []].append(index)
    }
    var result = [Int64?](repeating: nil, count: references.count)
    let query =
      "SELECT key, id FROM \(connection.namespace.foreignTable) WHERE store = $1 AND key = ANY ($2)"
    for (name, keys) in places {
      var parameters = Parameters()
      parameters.append(name)
      try parameters.append(Array(keys.keys))
      store.log(query)
      let found = try connection.run(PostgreSQLCommand(query, parameters, isKept: false))
      for row in 0..<found.count {
        for place in keys[found.integer(row, 0)] ?? [] { result[place] = found.integer(row, 1) }
      }
    }
    return result
  }

  private func writing<Result>(
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    try store.translating {
      guard !store.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      return try store.withConnection { connection in
        do {
          return try body(connection)
        } catch {
          try? connection.rollBack()
          throw error
        }
      }
    }
  }

  private func reading<Result>(
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    try store.translating { try store.withReading(body) }
  }
}

extension PostgreSQLStore {
  package var foreignReferences: (any StoreForeignReferences)? {
    PostgreSQLForeignReferences(store: self)
  }
}
