// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostQuery
import RoostSQL
package import RoostStore

extension PostgreSQLStore {
  package func fetch(_ request: ResolvedFetch) throws -> StoreFetchResult {
    let prepared = try prepared()
    return try translating {
      let query = try FetchGenerator.query(for: request, in: prepared.mapping)
      do {
        return try fetch(request, query, prepared)
      } catch let error as PostgreSQLError where error.isOutOfRange {
        // Elsewhere a sum of doubles that is too large is infinite; the server refuses it.
        let rest = try FetchGenerator.query(
          for: request, in: prepared.mapping, leavingDoubleSums: true)
        guard rest.text != query.text else { throw error }
        return try fetch(request, rest, prepared)
      }
    }
  }

  private func fetch(
    _ request: ResolvedFetch, _ query: SQLQuery, _ prepared: PreparedSchema
  ) throws -> StoreFetchResult {
    log(query.text)
    let command = try PostgreSQLCommand(query.text, query.bindings)
    let content = try withConnection { connection in
      try run(command, query.shape, request, prepared, connection)
    }
    return StoreFetchResult(
      content: content, remainder: query.remainder,
      plan: QueryPlan(steps: [query.text], inMemory: query.inMemory))
  }

  package func plan(for request: ResolvedFetch) throws -> QueryPlan {
    let prepared = try prepared()
    return try translating {
      let query = try FetchGenerator.query(for: request, in: prepared.mapping)
      let indexes = try withConnection { try usedIndexes(query, $0) }
      return QueryPlan(steps: [query.text], indexes: indexes, inMemory: query.inMemory)
    }
  }

  private func run(
    _ command: PostgreSQLCommand, _ shape: SQLQuery.Shape, _ request: ResolvedFetch,
    _ prepared: PreparedSchema, _ connection: PostgreSQLConnection
  ) throws -> StoreFetchResult.Content {
    switch shape {
    case .rows(let columns):
      return .rows(try rows(command, columns, request, prepared, connection))
    case .keys:
      var keys: [Int64] = []
      try connection.stream(command, types: [.integer]) { result, row in
        keys.append(ResultField.integer(result, row, 0))
      }
      return .keys(keys)
    case .count:
      return .count(Int(try connection.run(command).integer()))
    case .tuples(let kinds):
      let reader = TupleReader(kinds, prepared.mapping.store)
      var values: [Value] = []
      try connection.stream(command, types: reader.types) { result, row in
        try reader.append(result, at: row, to: &values)
      }
      return .tuples(values, columns: kinds.count)
    case .groups: preconditionFailure("This dialect leaves no groups to the driver.")
    }
  }

  /// Up to how many rows are taken together.
  private static let shortLimit = 512

  private func rows(
    _ command: PostgreSQLCommand, _ columns: [SQLColumn], _ request: ResolvedFetch,
    _ prepared: PreparedSchema, _ connection: PostgreSQLConnection
  ) throws -> [Row] {
    let readers = readers(columns, request, prepared)
    let types = [.integer, .integer] + columns.map { PostgreSQLType($0.kind) }
    var rows: [Row] = []
    if let limit = request.limit { rows.reserveCapacity(min(limit, 1024)) }
    var known = request.knownRows
    var misses = 0
    // Few rows come together; one after the other costs more work, and less memory.
    let isShort = request.limit.map { $0 <= Self.shortLimit } ?? false
    try connection.stream(command, types: types, rowByRow: !isShort) { result, index in
      let key = ResultField.integer(result, index, 0)
      let code = RecordKey.entityCode(of: key)
      guard code < readers.count, let reader = readers[code] else {
        throw PersistenceError(.corruptStore, "A key of the store names no entity of the model.")
      }
      let version = ResultField.integer(result, index, 1)
      if let row = known?.row(forKey: key, version: version) {
        rows.append(row)
        return
      }
      rows.append(try reader.row(from: result, at: index, key: key, version: version))
      misses += 1
      // Where most rows are new, asking for the others does not pay.
      if misses > 256, misses * 2 > rows.count { known = nil }
    }
    return rows
  }

  /// How to read the records of each entity among the result's columns, by the entity's code.
  private func readers(
    _ columns: [SQLColumn], _ request: ResolvedFetch, _ prepared: PreparedSchema
  ) -> [RowReader?] {
    let numbers = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { ($1.name, Int32($0 + 2)) })
    let entities = request.entities.compactMap { prepared.mapping.entity($0) }
    var readers = [RowReader?](repeating: nil, count: (entities.map(\.code).max() ?? 0) + 1)
    for entity in entities {
      readers[entity.code] = RowReader(
        entity,
        columns: entity.storedSlots.map { slot in
          guard let number = entity.column(slot).flatMap({ numbers[$0.name] }) else {
            preconditionFailure("A result has the columns of all entities that were asked for.")
          }
          return number
        })
    }
    return readers
  }

  /// The names of the indexes that a query uses.
  private func usedIndexes(
    _ query: SQLQuery, _ connection: PostgreSQLConnection
  ) throws -> [String] {
    let explanation = try PostgreSQLCommand(
      "EXPLAIN (COSTS OFF) " + query.text, query.bindings, isKept: false)
    let result = try connection.run(explanation)
    var indexes: [String] = []
    for row in 0..<result.count {
      let words = (result.text(row) ?? "").split(separator: " ").map(String.init)
      guard let mark = words.firstIndex(of: "Index") else { continue }
      // `Index Scan using NAME on TABLE`, or `Bitmap Index Scan on NAME`.
      let isBitmap = mark > 0 && words[mark - 1] == "Bitmap"
      guard let preposition = words[mark...].firstIndex(of: isBitmap ? "on" : "using"),
        preposition + 1 < words.count
      else { continue }
      let name = words[preposition + 1].replacing("\"", with: "")
      if !indexes.contains(name) { indexes.append(name) }
    }
    return indexes
  }
}
