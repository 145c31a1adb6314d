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

  /// - Note: The lock excludes those that refer anew, who lock the rows of their numbers, and transactions that were
  ///   prepared with such locks; all others write on.
  func remove(_ unused: () throws -> [Int64]) throws -> Int {
    // The columns of another version may hold numbers that this one does not show.
    guard store.oldVersion == nil, store.opened.second == nil else { return 0 }
    return try writing { connection in
      guard try isThere(connection) else { return 0 }
      let table = connection.namespace.foreignTable
      _ = try connection.run([
        .begin, .once(turn(connection.namespace)), .once("LOCK TABLE \(table) IN EXCLUSIVE MODE"),
      ]).get()
      let numbers = try unused()
      guard !numbers.isEmpty else {
        try connection.rollBack()
        return 0
      }
      let mark = ForeignReference.removalMark
      _ = try connection.run([
        PostgreSQLCommand(
          "DELETE FROM \(table) WHERE id = ANY ($1)",
          [.list(SQLList(numbers.map { .integer($0) }))], isKept: false),
        PostgreSQLCommand(
          "DELETE FROM \(table) WHERE store = $1 AND key = $2",
          [.text(mark.store), .integer(mark.key)], isKept: false),
        PostgreSQLCommand(
          "INSERT INTO \(table) (store, key, entity) VALUES ($1, $2, $3)",
          [.text(mark.store), .integer(mark.key), .text(mark.entity)], isKept: false),
        .commit,
      ]).get()
      return numbers.count
    }
  }

  // MARK: - Statements

  /// Returns the statement that lets one session at a time assign numbers, even before the table exists.
  private func turn(_ namespace: PostgreSQLNamespace) -> String {
    "SELECT pg_catalog.pg_advisory_xact_lock(\(PostgreSQLNamespace.lockSpace), "
      + "CAST(\(namespace.identity(of: namespace.sequence)) AS integer))"
  }

  private func isThere(_ connection: PostgreSQLConnection) throws -> Bool {
    if store.preparing.seesForeign { return true }
    let name = PostgreSQLNamespace.literal(connection.namespace.foreignTable)
    let isThere = try connection.run(.once("SELECT pg_catalog.to_regclass(\(name)) IS NOT NULL"))
      .isTrue()
    if isThere { store.preparing.seesForeign = true }
    return isThere
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
    // Each statement has a snapshot of its own: the removal mark, whose name is empty, is read first.
    let names = places.keys.sorted()
    let commands = try names.map { name in
      var parameters = Parameters()
      parameters.append(name)
      try parameters.append(places[name].map { Array($0.keys) } ?? [])
      store.log(query)
      return PostgreSQLCommand(query, parameters, isKept: false)
    }
    for (name, found) in zip(names, try connection.run(commands).get()) {
      for row in 0..<found.count {
        for place in places[name]?[found.integer(row, 0)] ?? [] {
          result[place] = found.integer(row, 1)
        }
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

extension StoreChangeSet {
  /// Refuses a change set that refers to records of other stores by numbers that were removed, and keeps the others
  /// from being removed until the transaction ends. One that does not refer anew takes no round trip.
  func requireForeignNumbers(
    of store: PostgreSQLStore, _ namespace: PostgreSQLNamespace, _ connection: PostgreSQLConnection
  ) throws {
    let numbers = foreignNumbers
    guard !numbers.isEmpty else { return }
    let query =
      "SELECT id FROM \(namespace.foreignTable) WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE"
    store.log(query)
    let commands = try [
      PostgreSQLCommand(query, [.list(SQLList(numbers.map { .integer($0) }))], isKept: false)
    ]
    let results = try connection.run((connection.isInTransaction ? [] : [.begin]) + commands).get()
    guard results.last.map({ Int($0.count) }) == numbers.count else {
      try connection.rollBack()
      throw ForeignNumber.removed(store: store.identity.identifier)
    }
  }
}

extension PostgreSQLStore {
  package var foreignReferences: (any StoreForeignReferences)? {
    PostgreSQLForeignReferences(store: self)
  }
}
