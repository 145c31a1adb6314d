// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
package import RoostStore

/// The records of other stores that a file refers to, in a table that is created with the first reference.
struct SQLiteForeignReferences: StoreForeignReferences {
  let store: SQLiteStore

  // AUTOINCREMENT: a number is not reused after the last ones were removed.
  private static let definition =
    "CREATE TABLE IF NOT EXISTS _roost_foreign (id INTEGER PRIMARY KEY AUTOINCREMENT, "
    + "store TEXT NOT NULL, key INTEGER NOT NULL, entity TEXT NOT NULL, UNIQUE (store, key)) STRICT"

  func intern(_ references: [ForeignReference]) throws -> [Int64] {
    let known = try numbers(of: references)
    if known.allSatisfy({ $0 != nil }) { return known.compactMap(\.self) }
    // The number is durable with the commit in which a record gets it.
    return try writing(isRelaxed: true) { connection in
      try connection.execute(Self.definition)
      // The format version is the same as that of a file that takes part in saves over several stores.
      try PreparedTables.make(connection)
      return try references.map { reference in
        if let number = try number(of: reference, connection) { return number }
        let insertion =
          "INSERT INTO _roost_foreign (store, key, entity) VALUES (?1, ?2, ?3) RETURNING id"
        store.log(insertion)
        let number = try connection.number(
          insertion, [.text(reference.store), .integer(reference.key), .text(reference.entity)])
        guard let number, number <= ForeignNumber.largest else {
          throw ForeignNumber.exhausted(store: store.identity.identifier)
        }
        return number
      }
    }
  }

  func numbers(of references: [ForeignReference]) throws -> [Int64?] {
    try reading { connection in
      guard try Self.isThere(connection) else {
        return [Int64?](repeating: nil, count: references.count)
      }
      return try self.numbers(of: references, connection)
    }
  }

  /// Returns the numbers of references: one statement per store.
  private func numbers(
    of references: [ForeignReference], _ connection: SQLiteConnection
  ) throws -> [Int64?] {
    guard references.count > 1 else {
      return try references.map { try number(of: $0, connection) }
    }
    let query =
      "SELECT key, id FROM _roost_foreign WHERE store = ?1 "
      + "AND key IN (SELECT value FROM json_each(?2))"
    var found: [String: [Int64: Int64]] = [:]
    for (name, own) in Dictionary(grouping: references, by: \.store) {
      store.log(query)
      let list = SQLList(own.map { .integer($0.key) })
      try connection.withStatement(query, [.text(name), .list(list)]) { statement in
        while try statement.step() {
          found[name, default: [:]][statement.integer(0)] = statement.integer(1)
        }
      }
    }
    return references.map { found[$0.store]?[$0.key] }
  }

  func forEachReference(
    in numbers: ClosedRange<Int64>, _ body: (Int64, ForeignReference) throws -> Void
  ) throws {
    try reading { connection in
      guard try Self.isThere(connection) else { return }
      let query =
        "SELECT id, store, key, entity FROM _roost_foreign WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
      store.log(query)
      let bounds: [SQLValue] = [.integer(numbers.lowerBound), .integer(numbers.upperBound)]
      try connection.withStatement(query, bounds) { statement in
        while try statement.step() {
          guard let name = statement.string(1), let entity = statement.string(3) else { continue }
          try body(
            statement.integer(0),
            ForeignReference(store: name, key: statement.integer(2), entity: entity))
        }
      }
    }
  }

  func rewrite(_ changes: [(number: Int64, reference: ForeignReference)]) throws {
    try writing { connection in
      guard try Self.isThere(connection) else { return }
      // All at once: the old reference of one number may be the new reference of another one.
      for (number, _) in changes {
        try connection.run(
          "UPDATE _roost_foreign SET key = -id, store = '' WHERE id = ?1", [.integer(number)])
      }
      for (number, reference) in changes {
        try connection.run(
          "UPDATE _roost_foreign SET store = ?2, key = ?3, entity = ?4 WHERE id = ?1",
          [
            .integer(number), .text(reference.store), .integer(reference.key),
            .text(reference.entity),
          ])
      }
    }
  }

  /// - Note: The transaction is open while `unused` reads through other connections. A database in memory has only one.
  func remove(_ unused: () throws -> [Int64]) throws -> Int {
    guard store.pool.location != .memory else { return 0 }
    return try writing { connection in
      guard try Self.isThere(connection) else { return 0 }
      let numbers = try unused()
      guard !numbers.isEmpty else { return 0 }
      let deletion = "DELETE FROM _roost_foreign WHERE id IN (SELECT value FROM json_each(?1))"
      store.log(deletion)
      try connection.run(deletion, [.list(SQLList(numbers.map { .integer($0) }))])
      let mark = ForeignReference.removalMark
      try connection.run(
        "DELETE FROM _roost_foreign WHERE store = ?1 AND key = ?2",
        [.text(mark.store), .integer(mark.key)])
      try connection.run(
        "INSERT INTO _roost_foreign (store, key, entity) VALUES (?1, ?2, ?3)",
        [.text(mark.store), .integer(mark.key), .text(mark.entity)])
      return numbers.count
    }
  }

  /// Returns whether the table exists.
  private static func isThere(_ connection: SQLiteConnection) throws -> Bool {
    try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = '_roost_foreign'") == 1
  }

  private func number(
    of reference: ForeignReference, _ connection: SQLiteConnection
  ) throws -> Int64? {
    try connection.number(
      "SELECT id FROM _roost_foreign WHERE store = ?1 AND key = ?2",
      [.text(reference.store), .integer(reference.key)])
  }

  private func writing<Result>(
    isRelaxed: Bool = false, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try store.translating {
      guard !store.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      return try store.pool.write(store.cancellation) { connection in
        func write() throws -> Result {
          try connection.writing {
            try store.pool.checkVersion(connection)
            return try body(connection)
          }
        }
        return try isRelaxed ? connection.withRelaxedDurability(write) : write()
      }
    }
  }

  /// Reads one snapshot of the file.
  private func reading<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try store.translating {
      try store.pool.read(store.cancellation) { connection in
        try connection.reading { try body(connection) }
      }
    }
  }
}

extension SQLiteStore {
  /// Refuses a change set that refers to records of other stores by numbers that were removed.
  func requireForeignNumbers(
    of changes: StoreChangeSet, _ connection: SQLiteConnection
  ) throws {
    let numbers = changes.foreignNumbers
    guard !numbers.isEmpty else { return }
    let query =
      "SELECT count(*) FROM _roost_foreign WHERE id IN (SELECT value FROM json_each(?1))"
    log(query)
    let count = try connection.number(query, [.list(SQLList(numbers.map { .integer($0) }))])
    guard count == Int64(numbers.count) else {
      throw ForeignNumber.removed(store: identity.identifier)
    }
  }

  package var foreignReferences: (any StoreForeignReferences)? {
    SQLiteForeignReferences(store: self)
  }
}
