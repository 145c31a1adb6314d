// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// Aggregates over many rows: the members of a relationship, or the records of a group.
extension FetchGenerator {
  /// `SUBQUERY(path, $x, condition).@count`.
  mutating func subqueryCount(
    _ path: ResolvedPath, _ variable: Int, _ predicate: ResolvedPredicate
  ) throws -> SQLOperand {
    let outerGroups = groups
    groups = nil
    defer { groups = outerGroups }
    let members = try openMembers(path)
    guard members.rest == path.relationships.count, case .object = path.end else {
      throw LeftToMemory("SUBQUERY over something else than related objects")
    }
    let outer = scopeByVariable[variable]
    scopeByVariable[variable] = members.scope
    let condition = try condition(predicate)
    scopeByVariable[variable] = outer
    let text =
      "(SELECT \(dialect.functionNames.count)(*)" + closeMembers(members, where: condition.text)
      + ")"
    return SQLOperand(text: text, kind: .slot(.integer), canBeNull: false)
  }

  /// `path.@count`, `path.@sum.attribute` and so on.
  mutating func aggregate(
    _ function: FetchFunction, _ path: ResolvedPath
  ) throws -> SQLOperand {
    guard groups == nil else { throw LeftToMemory("a collection operator in a group") }
    let members = try openMembers(path)
    let operand = try operand(path, in: members.scope, from: members.rest)
    let result = try aggregate(function, of: operand)
    return SQLOperand(
      text: "(SELECT \(result.text)" + closeMembers(members) + ")", kind: result.kind,
      canBeNull: result.canBeNull, isWide: result.isWide)
  }

  /// Returns an aggregate function over the records of a group.
  mutating func groupAggregate(
    _ function: FetchFunction, _ arguments: [ResolvedExpression]
  ) throws -> SQLOperand {
    guard let outer = groups, arguments.count == 1 else {
      throw LeftToMemory("an aggregate outside of a group")
    }
    // The argument is computed for each record, not for the group.
    let before = self
    groups = nil
    defer { groups = outer }
    let operand = try operand(arguments[0])
    // Rows are counted without the operand: the parameters and joins of its text are dropped again.
    if function == .count, !operand.canBeNull, case .slot = operand.kind { self = before }
    return try aggregate(function, of: operand)
  }

  /// Returns an aggregate function of the values in the rows of a query. Nulls are left out; the sum of no values is
  /// 0.
  private func aggregate(
    _ function: FetchFunction, of operand: SQLOperand
  ) throws -> SQLOperand {
    guard case .slot(let kind) = operand.kind else {
      throw LeftToMemory("an aggregate of entities")
    }
    let aggregates = dialect.aggregates
    let hasExtremes =
      kind != .transformable && kind != .reference && !aggregates.withoutExtremes.contains(kind)
    switch (function, kind) {
    case (.count, _):
      let text = "\(dialect.functionNames.count)(\(operand.canBeNull ? operand.text : "*"))"
      return SQLOperand(text: text, kind: .slot(.integer), canBeNull: false)
    case (.minimum, _) where hasExtremes:
      return SQLOperand(
        text: "\(dialect.functionNames.minimum)(\(operand.text))", kind: operand.kind)
    case (.maximum, _) where hasExtremes:
      return SQLOperand(
        text: "\(dialect.functionNames.maximum)(\(operand.text))", kind: operand.kind)
    case (.sum, .integer):
      let sum = operand.isWide ? aggregates.sumOfIntegers : aggregates.sumOfSmallIntegers
      let text = try written(sum, function, operand)
      return SQLOperand(text: text, kind: operand.kind, canBeNull: false, isWide: true)
    case (.average, .integer):
      let text = try written(aggregates.averageOfIntegers, function, operand)
      return SQLOperand(text: text, kind: .slot(.double))
    case (.sum, .double) where leavesDoubleSums, (.average, .double) where leavesDoubleSums:
      throw LeftToMemory("a sum beyond the range of the database")
    case (.sum, .double):
      let text = try written(aggregates.sumOfDoubles, function, operand)
      return SQLOperand(text: text, kind: operand.kind)
    case (.average, .double):
      let text = try written(aggregates.averageOfDoubles, function, operand)
      return SQLOperand(text: text, kind: operand.kind)
    case (.sum, .decimal):
      let text = try written(aggregates.sumOfDecimals, function, operand)
      return SQLOperand(text: text, kind: operand.kind, canBeNull: false)
    case (.average, .decimal):
      let text = try written(aggregates.averageOfDecimals, function, operand)
      return SQLOperand(text: text, kind: .slot(.double))
    default:
      throw LeftToMemory("the aggregate \(function.rawValue)")
    }
  }

  private func written(
    _ syntax: SQLDialect.Aggregates.Syntax?, _ function: FetchFunction, _ operand: SQLOperand
  ) throws -> String {
    guard let syntax else { throw LeftToMemory("the aggregate \(function.rawValue)") }
    return syntax(operand.text)
  }
}
