// SPDX-License-Identifier: Apache-2.0

import Roost

/// A request in a recording.
struct RecordedFetch: Codable {
  var entity: String
  var entities: [String]
  var predicate: RecordedPredicate?
  var sort: [Sort]
  var limit: Int?
  var offset: Int
  var result: Result

  struct Sort: Codable {
    var path: RecordedPath
    var ascending: Bool
    var comparator: Int
  }

  enum Result: Codable {
    case rows, keys, count
    case columns(Columns)
  }

  struct Columns: Codable {
    var columns: [Column]
    var groupBy: [RecordedExpression]
    var having: RecordedPredicate?
    var distinct: Bool
  }

  struct Column: Codable {
    var name: String
    var expression: RecordedExpression
    var isAggregate: Bool
    var type: Int
  }

  init(_ fetch: ResolvedFetch, in store: StoreIdentity) throws {
    entity = fetch.entity.name ?? ""
    entities = fetch.entities.map { $0.name ?? "" }
    predicate = try fetch.predicate.map { try RecordedPredicate($0, in: store) }
    sort = fetch.sort.map {
      Sort(
        path: RecordedPath($0.path), ascending: $0.ascending,
        comparator: Self.comparators.firstIndex(of: $0.comparator) ?? 0)
    }
    limit = fetch.limit
    offset = fetch.offset
    switch fetch.result {
    case .rows: result = .rows
    case .keys: result = .keys
    case .count: result = .count
    case .columns(let columns):
      result = .columns(
        Columns(
          columns: try columns.columns.map { column in
            Column(
              name: column.name, expression: try RecordedExpression(column.expression, in: store),
              isAggregate: column.isAggregate, type: column.type.rawValue)
          },
          groupBy: try columns.groupBy.map { try RecordedExpression($0, in: store) },
          having: try columns.having.map { try RecordedPredicate($0, in: store) },
          distinct: columns.distinct))
    }
  }

  private static let comparators: [SortOrdering.Comparator] = [
    .binary, .caseInsensitive, .localized, .localizedStandard,
  ]

  /// - Throws: ``RecordingError`` for an unknown name, and for an invalid limit or offset.
  func resolved(_ names: ReplayNames) throws -> ResolvedFetch {
    if let limit, limit < 0 { throw RecordingError("The recording has the limit \(limit).") }
    guard offset >= 0, !offset.addingReportingOverflow(limit ?? 0).overflow else {
      throw RecordingError("The recording has the offset \(offset).")
    }
    let result: ResolvedFetch.Result
    switch self.result {
    case .rows: result = .rows
    case .keys: result = .keys
    case .count: result = .count
    case .columns(let columns): result = .columns(try columns.resolved(names))
    }
    return ResolvedFetch(
      entity: try names.entity(entity), entities: try entities.map(names.entity),
      predicate: try predicate?.resolved(names),
      sort: try sort.map { step in
        let known = Self.comparators.indices.contains(step.comparator)
        return ResolvedSort(
          path: try step.path.resolved(names), ascending: step.ascending,
          comparator: known ? Self.comparators[step.comparator] : .binary)
      },
      limit: limit, offset: offset, result: result)
  }
}

extension RecordedFetch.Columns {
  fileprivate func resolved(_ names: ReplayNames) throws -> ResolvedColumns {
    ResolvedColumns(
      columns: try columns.map { column in
        ResolvedColumns.Column(
          name: column.name, expression: try column.expression.resolved(names),
          isAggregate: column.isAggregate, type: AttributeType(rawValue: column.type))
      },
      groupBy: try groupBy.map { try $0.resolved(names) },
      having: try having?.resolved(names), distinct: distinct)
  }
}
