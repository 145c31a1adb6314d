// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Strings, collections and ranges.

extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    PredicateTranslator.comparison(
      try translator.expression(base), .contains, try translator.expression(other))
  }
}

#if canImport(Darwin)
extension PredicateExpressions.StringLocalizedStandardContains: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    PredicateTranslator.comparison(
      try translator.expression(root), .contains, try translator.expression(other),
      options: [.caseInsensitive, .diacriticInsensitive])
  }
}
#endif

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    PredicateTranslator.comparison(
      try translator.expression(base), .beginsWith, try translator.expression(prefix))
  }
}

extension PredicateExpressions.SequenceContains: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    switch try translator.part(sequence) {
    case .range(let lower, let upper, let includesUpper):
      return PredicateTranslator.isBetween(
        try translator.expression(element), lower, upper, includesUpper)
    case .expression(let collection):
      return PredicateTranslator.comparison(
        try translator.expression(element), .in, collection)
    default: throw PredicateTranslator.unsupported(self)
    }
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    let (path, name, condition) = try translator.members(sequence, variable.key, test)
    return PredicateTranslator.comparison(
      PredicateTranslator.count(path, name, condition), .greaterThan, .constant(.integer(0)))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    let (path, name, condition) = try translator.members(sequence, variable.key, test)
    return PredicateTranslator.comparison(
      PredicateTranslator.count(path, name, !condition), .equalTo, .constant(.integer(0)))
  }
}

extension PredicateExpressions.Filter: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    let (path, name, condition) = try translator.members(sequence, variable.key, filter)
    return .members(path, variable: name, condition)
  }
}

// MARK: - Ranges

extension PredicateExpressions.Range: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .range(
      lower: try translator.expression(lower), upper: try translator.expression(upper),
      includesUpper: false)
  }
}

extension PredicateExpressions.ClosedRange: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .range(
      lower: try translator.expression(lower), upper: try translator.expression(upper),
      includesUpper: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    guard case .range(let lower, let upper, let includesUpper) = try translator.part(range) else {
      throw PredicateTranslator.unsupported(self)
    }
    return PredicateTranslator.isBetween(
      try translator.expression(element), lower, upper, includesUpper)
  }
}

/// A range value in a `#Predicate`.
protocol TranslatableRange {
  func part() throws -> PredicateTranslator.Part
}

extension Range: TranslatableRange {
  func part() throws -> PredicateTranslator.Part {
    try PredicateTranslator.range(lowerBound, upperBound, includesUpper: false)
  }
}

extension ClosedRange: TranslatableRange {
  func part() throws -> PredicateTranslator.Part {
    try PredicateTranslator.range(lowerBound, upperBound, includesUpper: true)
  }
}

extension PredicateTranslator {
  static func range(_ lower: Any, _ upper: Any, includesUpper: Bool) throws -> Part {
    guard let first = PredicateArgument.expression(lower),
      let last = PredicateArgument.expression(upper)
    else {
      throw PersistenceError(
        .invalidPredicate,
        "#Predicate uses a range of \(type(of: lower)), which no predicate can hold")
    }
    return .range(lower: first, upper: last, includesUpper: includesUpper)
  }

  static func isBetween(
    _ element: FetchExpression, _ lower: FetchExpression, _ upper: FetchExpression,
    _ includesUpper: Bool
  ) -> Part {
    if includesUpper { return comparison(element, .between, .list([lower, upper])) }
    return .predicate(
      .and([
        .comparison(ComparisonPredicate(element, .greaterThanOrEqualTo, lower)),
        .comparison(ComparisonPredicate(element, .lessThan, upper)),
      ]))
  }
}
