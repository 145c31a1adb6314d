// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// A condition on something that is no managed object: `SELF` is the value, a key path leads into dictionaries. Every
/// operand becomes a constant, and the evaluator that stores share compares them.
struct PlainCondition {
  let predicate: FetchPredicate

  /// Judges a value.
  ///
  /// - Throws: ``PersistenceError`` for a condition that means nothing for it.
  func isSatisfied(by object: Any?) throws -> Bool {
    switch predicate {
    case .constant(let truth): return truth
    case .and(let parts):
      return try parts.allSatisfy { try PlainCondition(predicate: $0).isSatisfied(by: object) }
    case .or(let parts):
      return try parts.contains { try PlainCondition(predicate: $0).isSatisfied(by: object) }
    case .not(let part): return try !PlainCondition(predicate: part).isSatisfied(by: object)
    case .comparison(let comparison): return try isSatisfied(comparison, by: object)
    }
  }

  private func isSatisfied(_ comparison: ComparisonPredicate, by object: Any?) throws -> Bool {
    var constants = comparison
    constants.left = try constant(comparison.left, of: object)
    constants.right = try constant(comparison.right, of: object)
    guard comparison.modifier != .direct, case .list(let members) = constants.left else {
      return try Self.holds(constants)
    }
    constants.modifier = .direct
    let each = { (member: RoostQuery.FetchExpression) in
      var one = constants
      one.left = member
      return try Self.holds(one)
    }
    return try comparison.modifier == .any
      ? members.contains(where: each) : members.allSatisfy(each)
  }

  // MARK: - Operands

  private func constant(_ expression: RoostQuery.FetchExpression, of object: Any?) throws
    -> RoostQuery.FetchExpression
  {
    switch expression {
    case .evaluatedObject: try Self.operand(object)
    case .keyPath(let path): try operand(at: path, of: object)
    case .keyPathOf(.evaluatedObject, let path): try operand(at: path, of: object)
    case .list(let members): .list(try members.map { try constant($0, of: object) })
    case .function(let function, let operands):
      .function(function, try operands.map { try constant($0, of: object) })
    case .conditional(let condition, let left, let right):
      try PlainCondition(predicate: condition).isSatisfied(by: object)
        ? constant(left, of: object) : constant(right, of: object)
    default: expression
    }
  }

  private func operand(at path: [String], of object: Any?) throws -> RoostQuery.FetchExpression {
    var value = object
    for step in path {
      switch value {
      case let text as String where step == "length": value = text.utf16.count
      case let members as [Any] where step == "@count": value = members.count
      case let dictionary as [AnyHashable: Any]: value = dictionary[step]
      case let dictionary as NSDictionary: value = dictionary[step]
      case nil: return .constant(.null)
      default:
        throw PersistenceError(
          .unknownKey, "\(type(of: value)) has no key \(step).", key: step)
      }
    }
    return try Self.operand(value)
  }

  private static func operand(_ value: Any?) throws -> RoostQuery.FetchExpression {
    guard let constant = Value(any: value) else {
      throw PersistenceError(
        .invalidPredicate, "A condition cannot judge an instance of \(type(of: value)).")
    }
    guard case .list(let members) = constant else { return .constant(constant) }
    return .list(members.map(RoostQuery.FetchExpression.constant))
  }

  // MARK: - Comparing

  private static func holds(_ comparison: ComparisonPredicate) throws -> Bool {
    try RequestResolver(model: ManagedObjectModel()).evaluate(.comparison(comparison), with: .null)
  }
}
