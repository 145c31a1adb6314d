// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

extension FetchGenerator {
  /// Generates one side of a comparison.
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
    case .conditional(let condition, let first, let second):
      return .operand(try conditional(condition, first, second))
    }
  }

  private func codes(_ entities: [EntityDescription]) -> [Int] {
    entities.compactMap { schema.store.code(of: $0) }.sorted()
  }

  /// Generates one side of a comparison, a column or an argument as an operand that the database computes.
  mutating func operand(_ expression: ResolvedExpression) throws -> SQLOperand {
    switch try term(expression) {
    case .operand(let operand): return operand
    case .constant(let value):
      guard let kind = value.slotKind, case .value(let bound) = try constant(value, as: .slot(kind))
      else { throw LeftToMemory("a constant without a type") }
      return SQLOperand(
        text: bind(bound), kind: .slot(kind), canBeNull: false, isWide: kind == .integer)
    case .list, .entities: throw LeftToMemory("a list in an expression")
    }
  }

  private mutating func conditional(
    _ condition: ResolvedPredicate, _ first: ResolvedExpression, _ second: ResolvedExpression
  ) throws -> SQLOperand {
    let condition = try self.condition(condition)
    let first = try operand(first)
    let second = try operand(second)
    guard first.kind == second.kind else { throw LeftToMemory("TERNARY of two types") }
    return SQLOperand(
      text: "CASE WHEN \(condition.text) THEN \(first.text) ELSE \(second.text) END",
      kind: first.kind, isWide: first.isWide || second.isWide)
  }

  // MARK: - Order

  /// Returns the order terms, without the key that breaks ties.
  mutating func orderTerms() throws -> [String] {
    var terms: [String] = []
    for step in request.sort {
      let operand = try operand(step.path)
      guard operand.kind != .slot(.transformable), operand.kind != .entity else {
        throw LeftToMemory("an order of entities, or of what a codec makes of objects")
      }
      if step.search != nil { throw LeftToMemory("the score of a search") }
      var key = operand.text
      if operand.kind == .slot(.string) {
        switch step.comparator {
        case .binary: break
        case .caseInsensitive: key = try folded([key], operand.kind, .caseInsensitive)[0]
        case .localized, .localizedStandard: throw LeftToMemory("the order of a locale")
        }
      }
      terms.append(key + (step.ascending ? dialect.nullsFirst : " DESC" + dialect.nullsLast))
    }
    return terms
  }
}

extension Value {
  /// The kind of slot that holds such a value; nil for a value that no slot holds by itself.
  var slotKind: SlotKind? {
    switch self {
    case .integer: .integer
    case .double: .double
    case .boolean: .boolean
    case .string: .string
    case .date: .date
    case .data: .data
    case .uuid: .uuid
    case .uri: .uri
    case .decimal: .decimal
    case .objectID: .reference
    case .null, .transformable, .list, .composite: nil
    }
  }
}
