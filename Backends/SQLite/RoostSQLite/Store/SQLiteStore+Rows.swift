// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQL
package import RoostStore

extension SQLiteStore {
  package func rows(forKeys keys: [Int64]) throws -> [Row] {
    let prepared = try prepared()
    return try translating {
      try pool.read(cancellation) { connection in
        // A single record needs no snapshot.
        guard keys.count > 1 else { return try rows(keys, prepared, connection) }
        return try connection.reading { try rows(keys, prepared, connection) }
      }
    }
  }

  package func row(forKey key: Int64) throws -> Row? {
    let prepared = try prepared()
    return try translating {
      try pool.read(cancellation) { try row(key, prepared, $0) }
    }
  }

  private func row(
    _ key: Int64, _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> Row? {
    let type = try prepared.recordType(ofKey: key)
    try connection.noteLookUp()
    log(type.select)
    let statement = try connection.statement(type.select)
    defer { statement.finish() }
    try statement.bind(key, at: 1)
    guard try statement.step() else { return nil }
    return try type.reader.row(from: statement, key: key, version: statement.version(0))
  }

  /// Reads records. A statement costs no round trip here, so a few records are read one by one; where many requested
  /// keys are close together, a range scan over everything between the first and the last is faster.
  func rows(
    _ keys: [Int64], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [Row] {
    guard keys.count >= KeyRun.leastCount else { return try rowsByKey(keys, prepared, connection) }
    if let span = KeySpan(of: keys) {
      return try readSpan(span, of: keys, prepared, connection)
    }
    let order = keys.indices.sorted { keys[$0] < keys[$1] }
    var found = [Row?](repeating: nil, count: keys.count)
    for run in KeyRun.runs(of: keys, inOrder: order) {
      let places = order[run.range]
      if run.isDense {
        try readRange(places, of: keys, into: &found, prepared, connection)
      } else {
        let rows = try rowsByKey(places.map { keys[$0] }, prepared, connection)
        var next = rows.startIndex
        for place in places where next < rows.endIndex && rows[next].key == keys[place] {
          found[place] = rows[next]
          next += 1
        }
      }
    }
    return found.compactMap(\.self)
  }

  /// Reads the records between the smallest and the largest key, and returns the requested ones.
  private func readSpan(
    _ span: KeySpan, of keys: [Int64], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [Row] {
    let type = try prepared.recordType(ofKey: span.first)
    log(type.selectRange)
    try connection.notePassage(of: keys.count)
    let statement = try connection.statement(type.selectRange)
    defer { statement.finish() }
    try statement.bind(span.first, at: 1)
    try statement.bind(span.last, at: 2)
    let keyColumn = Int32(statement.columnCount - 1)
    var found = [Row?](repeating: nil, count: keys.count)
    var missing = keys.count
    while missing > 0, try statement.step() {
      let key = statement.integer(keyColumn)
      guard let place = span.place(of: key) else { continue }
      found[place] = try type.reader.row(from: statement, key: key, version: statement.version(0))
      missing -= 1
    }
    guard missing == 0 else { return found.compactMap(\.self) }
    // A `Row` is one reference, and so is a `Row?`; none of these is nil.
    return unsafeBitCast(found, to: [Row].self)
  }

  /// Reads the records of one entity between the first and the last of some sorted keys, and stores the requested
  /// ones.
  private func readRange(
    _ places: ArraySlice<Int>, of keys: [Int64], into found: inout [Row?],
    _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws {
    guard let first = places.first, let last = places.last else { return }
    let type = try prepared.recordType(ofKey: keys[first])
    log(type.selectRange)
    try connection.notePassage(of: places.count)
    let statement = try connection.statement(type.selectRange)
    defer { statement.finish() }
    try statement.bind(keys[first], at: 1)
    try statement.bind(keys[last], at: 2)
    let keyColumn = Int32(statement.columnCount - 1)
    var next = places.startIndex
    while next < places.endIndex, try statement.step() {
      let key = statement.integer(keyColumn)
      while next < places.endIndex, keys[places[next]] < key { next += 1 }
      guard next < places.endIndex, keys[places[next]] == key else { continue }
      let row = try type.reader.row(from: statement, key: key, version: statement.version(0))
      // A key may have been requested twice.
      while next < places.endIndex, keys[places[next]] == key {
        found[places[next]] = row
        next += 1
      }
    }
  }

  /// Reads records one by one with a prepared statement.
  private func rowsByKey(
    _ keys: [Int64], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(keys.count)
    try connection.noteLookUp()
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
        let version = statement.version(0)
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
      try pool.read(cancellation) { connection in
        try connection.reading {
          try destinations(of: relationship, sources, prepared, connection)
        }
      }
    }
  }

  /// Reads destinations within a transaction.
  func destinations(
    of relationship: RelationshipDescription, _ sources: [Int64], _ prepared: PreparedSchema,
    _ connection: SQLiteConnection
  ) throws -> RelationshipDestinations {
    guard let query = prepared.mapping.selectDestinations(of: relationship) else {
      // No record of this store can be related along it: its configuration has no such entity.
      return RelationshipDestinations(
        offsets: [Int](repeating: 0, count: sources.count + 1), keys: [])
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
