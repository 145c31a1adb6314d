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
    let command = try PostgreSQLCommand(query.text, query.bindings)
    let content = try withReading { connection in
      try run(command, query, request, prepared, connection)
    }
    return StoreFetchResult(
      content: content, remainder: query.remainder,
      plan: QueryPlan(steps: [query.text], inMemory: query.inMemory))
  }

  package func plan(for request: ResolvedFetch) throws -> QueryPlan {
    let prepared = try prepared()
    return try translating {
      let query = try FetchGenerator.query(for: request, in: prepared.mapping)
      let indexes = try withReading { try usedIndexes(query, $0) }
      return QueryPlan(steps: [query.text], indexes: indexes, inMemory: query.inMemory)
    }
  }

  private func run(
    _ command: PostgreSQLCommand, _ query: SQLQuery, _ request: ResolvedFetch,
    _ prepared: PreparedSchema, _ connection: PostgreSQLConnection
  ) throws -> StoreFetchResult.Content {
    switch query.shape {
    case .rows(let columns):
      var taker = RowTaker(
        readers(columns, request, prepared), known: request.knownRows,
        expected: min(request.limit ?? 0, 1024))
      let types = [.integer, .integer] + columns.map { PostgreSQLType($0.kind) }
      try receive(command, types, request, connection, into: &taker)
      return .rows(taker.rows)
    case .keys:
      // What is left to be done is done with all of them.
      var taker = KeyTaker(query.remainder == nil ? request.keyCollector : nil)
      try receive(command, [.integer], request, connection, into: &taker)
      return .keys(taker.keys)
    case .count:
      log(command.text)
      return .count(Int(try connection.run(command).integer()))
    case .tuples(let kinds):
      var taker = TupleTaker(TupleReader(kinds, prepared.mapping.store))
      try receive(command, taker.reader.types, request, connection, into: &taker)
      return .tuples(taker.values, columns: kinds.count)
    case .groups: preconditionFailure("This dialect leaves no groups to the driver.")
    }
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
