// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostQuery
import RoostSQL
package import RoostStore

extension SQLiteStore {
  package func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    let prepared = try prepared()
    return try translating {
      try prepared.answering(self) { prepared in
        let compiled = try prepared.fetches.fetch(for: request, needing: context.neededSlots)
        let statement = compiled.statement
        log(statement.query.text)
        let content = try pool.read(cancellation) { connection in
          if !request.readsEverything { try connection.noteLookUp() }
          return try run(compiled, request, context, prepared, connection)
        }
        return StoreFetchResult(
          content: content, remainder: statement.query.remainder
        ) { QueryPlan(steps: statement.query.steps, inMemory: statement.query.inMemory) }
      }
    }
  }

  package func plan(for request: ResolvedFetch) throws -> QueryPlan {
    let prepared = try prepared()
    return try translating {
      try prepared.answering(self) { prepared in
        let compiled = try prepared.fetches.fetch(for: request)
        let statement = compiled.statement
        let indexes = try pool.read(cancellation) { try usedIndexes(compiled, $0) }
          .map { prepared.title(ofWords: $0) ?? $0 }
        return QueryPlan(
          steps: statement.query.steps, indexes: indexes, inMemory: statement.query.inMemory)
      }
    }
  }

  private func run(
    _ compiled: CompiledFetch, _ request: ResolvedFetch, _ context: FetchContext,
    _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> StoreFetchResult.Content {
    let compiledStatement = compiled.statement
    return try connection.withStatement(compiledStatement.query.text, compiled.bindings) {
      statement -> StoreFetchResult.Content in
      switch compiledStatement.query.shape {
      case .rows:
        return .rows(try rows(statement, compiled.readers, request, context, connection))
      case .keys:
        return .keys(try keys(statement, compiledStatement.query, request, context, connection))
      case .count:
        guard try statement.step() else { return .count(0) }
        return .count(Int(statement.integer(0)))
      case .tuples(let kinds):
        let reader = TupleReader(kinds, prepared.mapping.store)
        return .tuples(try reader.values(statement), columns: kinds.count)
      case .groups(let grouping):
        var reader = GroupReader(grouping, prepared.mapping.store)
        return .tuples(try reader.values(statement), columns: grouping.columns.count)
      }
    }
  }

  private func keys(
    _ statement: SQLiteStatement, _ query: SQLQuery, _ request: ResolvedFetch,
    _ context: FetchContext, _ connection: SQLiteConnection
  ) throws -> [Int64] {
    // The remainder of the query, which runs in memory, needs all keys together.
    let collector = query.remainder == nil ? context.keyCollector : nil
    collector?.removeAll()
    var keys: [Int64] = []
    var count = 0
    while try statement.step() {
      let key = statement.integer(0)
      if let collector { collector.append(key) } else { keys.append(key) }
      count += 1
      if request.passes(after: count) { try connection.notePassage(of: count) }
    }
    return keys
  }

  private func rows(
    _ statement: SQLiteStatement, _ readers: [RowReader?], _ request: ResolvedFetch,
    _ context: FetchContext, _ connection: SQLiteConnection
  ) throws -> [Row] {
    var rows: [Row] = []
    if let limit = request.limit { rows.reserveCapacity(min(limit, 1024)) }
    var known = context.knownRows
    var misses = 0
    // Most rows are of the same entity as the previous row; the reader is not copied for them then.
    var current: (code: Int, reader: RowReader)?
    while try statement.step() {
      if request.passes(after: rows.count) { try connection.notePassage(of: rows.count) }
      let key = statement.integer(0)
      let version = statement.version(1)
      let code = RecordKey.entityCode(of: key)
      if current?.code != code {
        guard code < readers.count, let reader = readers[code] else {
          throw PersistenceError(.corruptStore, "A key of the store names no entity of the model.")
        }
        current = (code, reader)
      }
      if let row = known?.row(forKey: key, version: version) {
        rows.append(row)
        continue
      }
      guard let row = try current?.reader.row(from: statement, key: key, version: version) else {
        continue
      }
      rows.append(row)
      misses += 1
      // When most rows are new, looking up the others is not worthwhile.
      if misses > 256, misses * 2 > rows.count { known = nil }
    }
    return rows
  }

  /// Returns the names of the indexes that a query uses.
  private func usedIndexes(
    _ compiled: CompiledFetch, _ connection: SQLiteConnection
  ) throws -> [String] {
    let explanation = "EXPLAIN QUERY PLAN " + compiled.statement.query.text
    return try connection.withStatement(explanation, compiled.bindings) { statement in
      var indexes: [String] = []
      while try statement.step() {
        guard let name = Self.index(in: statement.string(3) ?? "") else { continue }
        if !indexes.contains(name) { indexes.append(name) }
      }
      return indexes
    }
  }

  /// Returns the index in a step of a query plan; nil when it uses none, or an automatic index, which has no name.
  static func index(in step: String) -> String? {
    let words = step.split(separator: " ")
    // `SCAN table VIRTUAL TABLE INDEX …`: FTS5 always uses its index.
    if words.count > 4, words[0] == "SCAN", words[2] == "VIRTUAL" { return String(words[1]) }
    guard let mark = words.firstIndex(of: "INDEX"), mark > 0, mark + 1 < words.count,
      words[mark - 1] == "USING" || words[mark - 1] == "COVERING", !words[mark + 1].hasPrefix("(")
    else { return nil }
    return String(words[mark + 1])
  }
}

extension ResolvedFetch {
  /// Whether the request reads all records of its entities, in the table's order.
  fileprivate var readsEverything: Bool { !hasPredicate && limit == nil && sort.isEmpty }

  /// Returns whether that many records have shown that the request is a table scan.
  @inline(__always) fileprivate func passes(after count: Int) -> Bool {
    count == PageCacheBound.patience && readsEverything
  }
}
