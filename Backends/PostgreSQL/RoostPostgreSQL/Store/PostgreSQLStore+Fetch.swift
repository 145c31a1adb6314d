// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostQuery
import RoostSQL
package import RoostStore

extension PostgreSQLStore {
  package func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    let prepared = try prepared()
    return try translating {
      try prepared.answering(self) { prepared in
        let compiled = try prepared.fetches.fetch(for: request, needing: context.neededSlots)
        do {
          return try fetch(request, context, compiled, prepared)
        } catch let error as PostgreSQLError where error.isOutOfRange {
          // In other stores a sum of doubles that overflows is infinite; PostgreSQL raises an error.
          let rest = try FetchGenerator.query(
            for: request, in: prepared.mapping, leavingDoubleSums: true)
          guard rest.text != compiled.statement.query.text else { throw error }
          let readers = RowReaders(rest, request, prepared.mapping)
          context.keyCollector?.removeAll()
          return try fetch(
            request, context, CompiledFetch(CompiledStatement(rest, readers)), prepared)
        }
      }
    }
  }

  private func fetch(
    _ request: ResolvedFetch, _ context: FetchContext, _ compiled: CompiledFetch,
    _ prepared: PreparedSchema
  ) throws -> StoreFetchResult {
    let query = compiled.statement.query
    let command = try PostgreSQLCommand(query.text, compiled.bindings)
    let content = try withReading { connection in
      try run(command, compiled, request, context, prepared, connection)
    }
    return StoreFetchResult(
      content: content, remainder: query.remainder
    ) { QueryPlan(steps: query.steps, inMemory: query.inMemory) }
  }

  package func plan(for request: ResolvedFetch) throws -> QueryPlan {
    let prepared = try prepared()
    return try translating {
      try prepared.answering(self) { prepared in
        let compiled = try prepared.fetches.fetch(for: request)
        let query = compiled.statement.query
        let indexes = try withReading { try usedIndexes(compiled, prepared, $0) }
        return QueryPlan(steps: query.steps, indexes: indexes, inMemory: query.inMemory)
      }
    }
  }

  private func run(
    _ command: PostgreSQLCommand, _ compiled: CompiledFetch, _ request: ResolvedFetch,
    _ context: FetchContext, _ prepared: PreparedSchema, _ connection: PostgreSQLConnection
  ) throws -> StoreFetchResult.Content {
    let query = compiled.statement.query
    switch query.shape {
    case .rows(let columns):
      var taker = RowTaker(
        compiled.readers, known: context.knownRows,
        expected: min(request.limit ?? 0, 1024))
      let types = [.integer, .integer] + columns.map { PostgreSQLType($0.kind) }
      try receive(command, types, request, connection, into: &taker)
      return .rows(taker.rows)
    case .keys:
      // The remainder of the query, which runs in memory, needs all keys together.
      var taker = KeyTaker(query.remainder == nil ? context.keyCollector : nil)
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

  /// Returns the names of the indexes that a query uses.
  private func usedIndexes(
    _ compiled: CompiledFetch, _ prepared: PreparedSchema, _ connection: PostgreSQLConnection
  ) throws -> [String] {
    let explanation = try PostgreSQLCommand(
      "EXPLAIN (COSTS OFF) " + compiled.statement.query.text, compiled.bindings, isKept: false)
    let result = try connection.run(explanation)
    var indexes: [String] = []
    for row in 0..<result.count {
      let line = result.text(row) ?? ""
      if let title = prepared.title(ofWordsIn: line) {
        if !indexes.contains(title) { indexes.append(title) }
        continue
      }
      let words = line.split(separator: " ").map(String.init)
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
