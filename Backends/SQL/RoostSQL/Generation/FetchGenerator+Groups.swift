// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// Grouping. An index that begins with the grouping terms and covers the request has the groups in order. Any other way
// sorts all records, or looks each of them up in the table, and takes several times as long as scanning the table.
extension FetchGenerator {
  /// Returns a query whose records the driver groups, where that is faster than a sort in the database; else nil.
  ///
  /// The groups are made by one number, and their columns are that number, sums, averages and counts. Requests that
  /// limit the groups, or sort them other than by their first records, are left to the database.
  func recordsToGroup(_ columns: ResolvedColumns, conditions: [String]) -> SQLQuery? {
    // An index that finds few records would not be used for the sake of the records' order.
    guard dialect.grouping.sorts, !usesIndexedColumn, columns.groupBy.count == 1,
      columns.having == nil, request.sort.isEmpty, request.limit == nil, request.offset == 0
    else { return nil }
    var attempt = self
    // The terms are computed for each record, not for the group.
    attempt.groups = nil
    guard let key = try? attempt.operand(columns.groupBy[0]), case .slot(let kind) = key.kind,
      SQLGrouping.keyKinds.contains(kind)
    else { return nil }
    var texts = [key.text]
    var results: [SQLGrouping.Column] = []
    for column in columns.columns {
      guard let result = attempt.groupResult(column.expression, key: key, texts: &texts) else {
        return nil
      }
      results.append(result)
    }
    if attempt.groupingIndexes([key.text], neededBy: texts + conditions).covers { return nil }
    let text =
      "SELECT " + texts.joined(separator: ", ") + attempt.from(conditions) + orderBy([])
    return SQLQuery(
      text: text, bindings: attempt.bindings,
      shape: .groups(SQLGrouping(key: kind, columns: results)), remainder: nil, inMemory: [])
  }

  /// Returns the column of a group, when the driver can compute it, and adds the value that each record contributes to
  /// the texts.
  private mutating func groupResult(
    _ expression: ResolvedExpression, key: SQLOperand, texts: inout [String]
  ) -> SQLGrouping.Column? {
    let before = self
    guard case .function(let function, let arguments) = expression, function.isAggregate else {
      defer { self = before }
      return (try? operand(expression))?.text == key.text ? .key : nil
    }
    guard arguments.count == 1, let value = try? operand(arguments[0]),
      case .slot(let kind) = value.kind
    else { return nil }
    switch (function, kind) {
    case (.count, _) where !value.canBeNull:
      self = before
      return .aggregate(.count, of: .records)
    case (.count, _):
      texts.append(value.text)
      return .aggregate(.count, of: .present(texts.count - 1))
    case (.sum, .integer), (.average, .integer):
      texts.append(value.text)
      return .aggregate(function, of: .integers(texts.count - 1))
    case (.sum, .double), (.average, .double):
      texts.append(value.text)
      return .aggregate(function, of: .doubles(texts.count - 1))
    default: return nil
    }
  }

  /// Returns the grouping terms. An index that begins with them, but does not cover the request, would be walked in
  /// its order, with a look-up of each record in the table; where the dialect has a prefix for it, that is prevented.
  /// A table scan with a sort is faster.
  func groupingTerms(_ keys: [String], neededBy texts: [String]) -> String {
    let indexes = groupingIndexes(keys, neededBy: texts)
    let prefix = indexes.begin && !indexes.covers ? dialect.grouping.prefix : ""
    return keys.map { prefix + $0 }.joined(separator: ", ")
  }

  /// Returns whether indexes begin with the grouping terms, and whether one of these covers the request.
  private func groupingIndexes(
    _ keys: [String], neededBy texts: [String]
  ) -> (begin: Bool, covers: Bool) {
    let scope = scopes[0]
    func text(_ column: String) -> String { "\(scope.alias).\(dialect.quoted(column))" }
    let table = scope.entity.table
    let indexes = table.indexes.filter { index in
      index.condition == nil && index.columns.first.map { keys.contains(text($0)) } ?? false
    }
    guard !indexes.isEmpty else { return (false, false) }
    let used = Set(
      table.columns.lazy.map(\.name).filter { column in
        texts.contains { $0.contains(text(column)) }
      })
    return (true, indexes.contains { used.isSubset(of: $0.columns) })
  }
}
