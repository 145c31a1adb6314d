// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

extension FetchGenerator {
  /// Writes one side of a comparison.
  mutating func term(_ expression: ResolvedExpression) throws -> SQLTerm {
    switch expression {
    case .constant(.list(let values)): return .list(values)
    case .constant(let value): return .constant(value)
    case .list(let values): return .list(values)
    case .path(let path): return .operand(try operand(path))
    case .aggregate(let function, let path): return .operand(try aggregate(function, path))
    case .subqueryCount(let path, let variable, let predicate):
      return .operand(try subqueryCount(path, variable, predicate))
    case .entity(let entity): return .entities(codes([entity]))
    case .entities(let entities): return .entities(codes(entities))
    case .function(let function, let arguments):
      return .operand(try call(function, arguments))
    case .conditional: throw LeftToMemory("TERNARY")
    }
  }

  private func codes(_ entities: [EntityDescription]) -> [Int] {
    entities.compactMap { schema.store.code(of: $0) }.sorted()
  }

  // MARK: - Collections

  /// `SUBQUERY(path, $x, condition).@count`.
  private mutating func subqueryCount(
    _ path: ResolvedPath, _ variable: Int, _ predicate: ResolvedPredicate
  ) throws -> SQLOperand {
    let members = try openMembers(path)
    guard members.rest == path.relationships.count, case .object = path.end else {
      throw LeftToMemory("SUBQUERY over something else than related objects")
    }
    let outer = scopeByVariable[variable]
    scopeByVariable[variable] = members.scope
    let condition = try condition(predicate)
    scopeByVariable[variable] = outer
    let text = "(SELECT count(*)" + closeMembers(members, where: condition.text) + ")"
    return SQLOperand(text: text, kind: .slot(.integer), canBeNull: false)
  }

  /// `path.@count`, `path.@sum.attribute` and so on.
  private mutating func aggregate(
    _ function: FetchFunction, _ path: ResolvedPath
  ) throws -> SQLOperand {
    guard path.relationships.filter(\.isToMany).count == 1 else {
      throw LeftToMemory("a collection operator over collections of collections")
    }
    let members = try openMembers(path)
    if function == .count {
      let text = "(SELECT count(*)" + closeMembers(members) + ")"
      return SQLOperand(text: text, kind: .slot(.integer), canBeNull: false)
    }
    let operand = try operand(path, in: members.scope, from: members.rest)
    let result = try aggregate(function, of: operand)
    return SQLOperand(
      text: "(SELECT \(result.text)" + closeMembers(members) + ")", kind: result.kind,
      canBeNull: result.canBeNull)
  }

  /// An aggregate function over the rows of a group or a subquery.
  func aggregate(_ function: FetchFunction, of operand: SQLOperand) throws -> SQLOperand {
    guard case .slot(let kind) = operand.kind else {
      throw LeftToMemory("an aggregate of entities")
    }
    switch (function, kind) {
    case (.count, _):
      return SQLOperand(
        text: "count(\(operand.text))", kind: .slot(.integer), canBeNull: false)
    case (.minimum, _) where kind != .transformable && kind != .reference:
      return SQLOperand(text: "min(\(operand.text))", kind: operand.kind)
    case (.maximum, _) where kind != .transformable && kind != .reference:
      return SQLOperand(text: "max(\(operand.text))", kind: operand.kind)
    case (.sum, .integer), (.sum, .double):
      return SQLOperand(
        text: "coalesce(sum(\(operand.text)), 0)", kind: operand.kind, canBeNull: false)
    case (.average, .integer), (.average, .double):
      return SQLOperand(text: "avg(\(operand.text))", kind: .slot(.double))
    case (.sum, .decimal) where dialect.functions.contains(.decimalAggregates):
      return SQLOperand(
        text: "roost_decimal_sum(\(operand.text))", kind: operand.kind, canBeNull: false)
    case (.average, .decimal) where dialect.functions.contains(.decimalAggregates):
      return SQLOperand(text: "roost_decimal_average(\(operand.text))", kind: operand.kind)
    default:
      throw LeftToMemory("the aggregate \(function.rawValue)")
    }
  }

  // MARK: - Functions

  private mutating func call(
    _ function: FetchFunction, _ arguments: [ResolvedExpression]
  ) throws -> SQLOperand {
    throw LeftToMemory("the function \(function.rawValue)")
  }

  // MARK: - Order

  /// The terms of the order, without the key that breaks ties.
  mutating func orderTerms() throws -> [String] {
    var terms: [String] = []
    for step in request.sort {
      let operand = try operand(step.path)
      guard operand.kind != .slot(.transformable) else {
        throw LeftToMemory("values that a codec makes of objects")
      }
      let direction = step.ascending ? dialect.nullsFirst : " DESC" + dialect.nullsLast
      switch step.comparator {
      case .binary: break
      case .caseInsensitive where operand.kind == .slot(.string):
        let key = try folded([operand.text], operand.kind, .caseInsensitive)[0]
        terms.append(key + direction)
        continue
      case .caseInsensitive: break
      case .localized, .localizedStandard:
        if operand.kind == .slot(.string) { throw LeftToMemory("the order of a locale") }
      }
      terms.append(operand.text + direction)
    }
    return terms
  }
}
