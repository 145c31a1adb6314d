// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Asks one store, and evaluates the residual predicate, sort and window in memory: the answer is complete, whatever
/// the store supports.
struct StoreFetch {
  let store: AttachedStore
  let fillsRowCache: Bool
  /// The names of the slots that are needed in rows, which do not get into the cache then; nil for whole rows.
  var neededSlots: Set<String>?

  /// Returns the answer.
  ///
  /// - Parameter collector: Receives the keys of a request for keys, if the store can deliver them one at a time.
  func run(
    _ fetch: ResolvedFetch, into collector: KeyCollector? = nil
  ) throws -> StoreFetchResult.Content {
    let fetch = store.narrowed(fetch)
    guard fillsRowCache, neededSlots == nil, case .rows = fetch.result else {
      var context = FetchContext(keyCollector: collector)
      context.neededSlots = neededSlots
      return try answer(fetch, context)
    }
    let rows = try store.cache.keepingRows {
      guard case .rows(let rows) = try answer(fetch, FetchContext(knownRows: store.cache)) else {
        throw unexpectedContent
      }
      return (rows, ())
    }.rows
    return .rows(rows)
  }

  private func answer(
    _ fetch: ResolvedFetch, _ context: FetchContext
  ) throws -> StoreFetchResult.Content {
    let result = try store.asking(
      fetch.operationKind, OperationSubject(of: fetch),
      report: { answer, report in
        report.rows = answer.content.rowCount + (context.keyCollector?.keys.count ?? 0)
        report.bytes = answer.content.valueSize + (context.keyCollector?.keys.count ?? 0) * 8
        report.setPlan(of: answer)
      }
    ) { backend in
      try backend.fetch(fetch, in: context)
    }
    if case .rows(let rows) = result.content {
      store.tally.countRows(rows.count)
      try check(rows)
    }
    guard let remainder = result.remainder else {
      guard Self.fits(result.content, fetch.result) else { throw unexpectedContent }
      return result.content
    }
    guard case .rows(let rows) = result.content else { throw unexpectedContent }
    return try store.telling(
      .evaluation, OperationSubject(of: fetch), report: { $1.rows = $0.rowCount }
    ) {
      try RemainderEvaluation(store: store, fetch: fetch, remainder: remainder).finish(rows)
    }
  }

  /// Checks that the store holds the entities of the rows, which would have no IDs otherwise.
  private func check(_ rows: [Row]) throws {
    var knownCode = -1
    for row in rows {
      let code = RecordKey.entityCode(of: row.key)
      if code == knownCode { continue }
      guard store.schema.entity(ofKey: row.key) != nil else { throw store.unknownKeyError }
      knownCode = code
    }
  }

  private static func fits(
    _ content: StoreFetchResult.Content, _ result: ResolvedFetch.Result
  ) -> Bool {
    switch (content, result) {
    case (.rows, .rows), (.keys, .keys), (.count, .count): true
    case (.tuples(let values, let width), .columns(let columns)):
      width == columns.columns.count && (width == 0 || values.count % width == 0)
    default: false
    }
  }

  private var unexpectedContent: PersistenceError {
    PersistenceError(
      .persistentStoreOperation, "The store's answer is not of the kind that was asked for.",
      store: store.displayName)
  }
}
