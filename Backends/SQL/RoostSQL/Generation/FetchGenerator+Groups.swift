// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// How groups are made. An index that begins with what makes them, and has all that is asked for, has them in order. Any
// other way sorts all records, or looks up each in the table, and takes several times as long as reading the table.
extension FetchGenerator {
  /// The records whose groups the driver makes, where that is faster than letting the database sort them; else nil.
  ///
  /// The groups are made by one number, and their columns are that number, sums, averages and counts. Whatever limits
  /// the groups, or puts them into another order than that of their first records, is left to the database.
  func recordsToGroup(_ columns: ResolvedColumns, conditions: [String]) -> SQLQuery? {
    // An index that finds few records would not be used for the sake of the records' order.
    guard dialect.sortsToGroup, !usesIndexedColumn, columns.groupBy.count == 1,
      columns.having == nil, request.sort.isEmpty, request.limit == nil, request.offset == 0
    else { return nil }
    var attempt = self
    // What is computed is computed for each record, not for the group.
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

  /// What a column is of a group, when the driver can compute it; the value of each record that it is made of is added
  /// to the texts.
  private mutating func groupResult(
    _ expression: ResolvedExpression, key: SQLOperand, texts: inout [String]
  ) -> SQLGrouping.Column? {
    guard case .function(let function, let arguments) = expression, function.isAggregate else {
      return (try? operand(expression))?.text == key.text ? .key : nil
    }
    guard arguments.count == 1, let value = try? operand(arguments[0]),
      case .slot(let kind) = value.kind
    else { return nil }
    switch (function, kind) {
    case (.count, _) where !value.canBeNull:
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

  /// What records are grouped by. An index that begins with it, and lacks some of what is asked for, would be walked in
  /// its order, and each record be looked up in the table; where a dialect says so, that is kept from happening. To
  /// read the table as it lies, and to sort, is faster.
  func groupingTerms(_ keys: [String], neededBy texts: [String]) -> String {
    let indexes = groupingIndexes(keys, neededBy: texts)
    let prefix = indexes.begin && !indexes.covers ? dialect.groupingPrefix : ""
    return keys.map { prefix + $0 }.joined(separator: ", ")
  }

  /// Whether indexes begin with what records are grouped by, and whether one of these has all that is asked for.
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
