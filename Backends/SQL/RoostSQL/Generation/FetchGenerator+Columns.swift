// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// Dictionary fetches: columns, groups, aggregates, distinct results. A group or a distinct result has the place of its
// first record in the requested order.
extension FetchGenerator {
  /// Generates a request for columns.
  mutating func columnsQuery(
    _ columns: ResolvedColumns, conditions: [String], order: [String]
  ) throws -> SQLQuery {
    if columns.isAggregated { return try groupedQuery(columns, conditions: conditions) }
    let operands = try columns.columns.map { try operand($0.expression) }
    let types = try resultTypes(operands)
    var text = "SELECT " + operands.map(\.text).joined(separator: ", ") + from(conditions)
    if columns.distinct {
      let keys = operands.map(\.text)
      groups = Set(keys)
      let order = try orderTerms()
      groups = nil
      text += " GROUP BY " + keys.joined(separator: ", ") + orderBy(order, ofGroups: true)
    } else {
      text += orderBy(order)
    }
    text += window()
    return SQLQuery(
      text: text, bindings: bindings, shape: .tuples(types), remainder: nil, inMemory: [])
  }

  private mutating func groupedQuery(
    _ columns: ResolvedColumns, conditions: [String]
  ) throws -> SQLQuery {
    let keys = try columns.groupBy.map { expression in
      guard case .path = expression else { throw LeftToMemory("groups by an expression") }
      return try operand(expression).text
    }
    groups = Set(keys)
    defer { groups = nil }
    let operands = try columns.columns.map { try operand($0.expression) }
    let types = try resultTypes(operands)
    // Results are distinct already when they contain all grouping terms.
    guard !columns.distinct || Set(keys).isSubset(of: operands.map(\.text)) else {
      throw LeftToMemory("distinct results of groups")
    }
    if let query = recordsToGroup(columns, conditions: conditions) { return query }
    let having = try columns.having.map { try condition($0).text }
    let order = keys.isEmpty ? [] : try orderTerms()
    var text = "SELECT " + operands.map(\.text).joined(separator: ", ") + from(conditions)
    if !keys.isEmpty {
      let texts = operands.map(\.text) + conditions + (having.map { [$0] } ?? [])
      text += " GROUP BY " + groupingTerms(keys, neededBy: keys + texts)
    }
    if let having { text += " HAVING " + having }
    if !keys.isEmpty { text += orderBy(order, ofGroups: true) }
    text += window()
    return SQLQuery(
      text: text, bindings: bindings, shape: .tuples(types), remainder: nil, inMemory: [])
  }

  private func resultTypes(_ operands: [SQLOperand]) throws -> [SlotKind] {
    guard !operands.isEmpty else { throw LeftToMemory("a fetch of no columns") }
    return try operands.map { operand in
      guard case .slot(let kind) = operand.kind else { throw LeftToMemory("a column of entities") }
      return kind
    }
  }
}
