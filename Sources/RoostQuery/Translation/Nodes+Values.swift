// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Variables, constants, key paths and optionals.

extension PredicateExpressions.Variable: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    guard let expression = translator.variables[key] else {
      throw PredicateTranslator.unsupported(self)
    }
    return .expression(expression)
  }
}

extension PredicateExpressions.Value: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    if let range = value as? any TranslatableRange { return try range.part() }
    guard let expression = PredicateArgument.expression(value) else {
      throw PersistenceError(
        .invalidPredicate, "#Predicate uses a value of \(Output.self), which no predicate can hold")
    }
    return .expression(expression)
  }
}

extension PredicateExpressions.NilLiteral: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .expression(.constant(.null))
  }
}

extension PredicateExpressions.KeyPath: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    let base = try translator.part(root)
    if let naming = Root.Output.self as? any KeyPathNaming.Type {
      guard case .expression(let object) = base else { throw PredicateTranslator.unsupported(self) }
      do {
        return .expression(object.appending(try naming.storedPath(for: keyPath)).expression)
      } catch {
        var refusal = error.error
        refusal.code = .invalidPredicate
        throw refusal
      }
    }
    return try translateKnownMember(of: base)
  }

  /// Translates `count` and `isEmpty` of a collection or a string. They are recognised by their types, because key
  /// paths of generic types do not equal any that could be written here.
  private func translateKnownMember(
    of base: PredicateTranslator.Part
  ) throws -> PredicateTranslator.Part {
    let count: FetchExpression
    switch base {
    case .members(let path, let variable, let condition):
      count = PredicateTranslator.count(path, variable, condition)
    case .expression(let expression) where Root.Output.self is any TextOutput.Type:
      if Output.self == Bool.self {
        return PredicateTranslator.comparison(expression, .equalTo, .constant(.string("")))
      }
      count = .function(.length, [expression])
    case .expression(let expression) where Root.Output.self is any Collection.Type:
      count = expression.appending(["@count"]).expression
    default: throw PredicateTranslator.unsupported(self)
    }
    if Output.self == Int.self { return .expression(count) }
    guard Output.self == Bool.self else { throw PredicateTranslator.unsupported(self) }
    return PredicateTranslator.comparison(count, .equalTo, .constant(.integer(0)))
  }
}

/// A type whose `count` is a length.
private protocol TextOutput {}
extension String: TextOutput {}
extension Substring: TextOutput {}

// A path through a nil to-one relationship is nil, so the optional chain is the path itself. A condition would be
// false there, and must be distinguished from nil.
extension PredicateExpressions.OptionalFlatMap: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    let object = try translator.expression(wrapped)
    translator.variables[variable.key] = object
    let isNil = FetchPredicate.comparison(
      ComparisonPredicate(object, .equalTo, .constant(.null)))
    switch try translator.part(transform) {
    case .predicate(let condition): return .optionalPredicate(condition, isNil: isNil)
    case .optionalPredicate(let condition, let isNilWithin):
      return .optionalPredicate(condition, isNil: isNil || isNilWithin)
    case let part: return part
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    try translator.part(inner)
  }
}

extension PredicateExpressions.NilCoalesce: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    let left = try translator.part(lhs)
    let right = try translator.part(rhs)
    switch (left, right) {
    case (.optionalPredicate(let condition, let isNil), .expression(.constant(let value)))
    where value.isTruth:
      return .predicate(value == .integer(1) ? isNil || condition : !isNil && condition)
    case (.optionalPredicate(let condition, let isNil), .predicate(let other)):
      return .predicate(isNil && other || !isNil && condition)
    // A condition is never nil.
    case (.predicate, _): return left
    default: break
    }
    guard let value = PredicateTranslator.value(of: left),
      let other = PredicateTranslator.value(of: right)
    else { throw PredicateTranslator.unsupported(self) }
    let isNil = FetchPredicate.comparison(
      ComparisonPredicate(value, .equalTo, .constant(.null)))
    return .expression(.conditional(isNil, other, value))
  }
}
