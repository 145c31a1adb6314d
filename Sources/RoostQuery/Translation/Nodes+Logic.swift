// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Logic, comparisons and arithmetic.

extension PredicateExpressions.Conjunction: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .predicate(try translator.predicate(lhs) && translator.predicate(rhs))
  }
}

extension PredicateExpressions.Disjunction: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .predicate(try translator.predicate(lhs) || translator.predicate(rhs))
  }
}

extension PredicateExpressions.Negation: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .predicate(!(try translator.predicate(wrapped)))
  }
}

extension PredicateExpressions.Equal: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    if let chain = try translator.comparison(of: lhs, with: rhs) { return .predicate(chain) }
    return PredicateTranslator.comparison(
      try translator.expression(lhs), .equalTo, try translator.expression(rhs))
  }
}

extension PredicateExpressions.NotEqual: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    if let chain = try translator.comparison(of: lhs, with: rhs) { return .predicate(!chain) }
    return PredicateTranslator.comparison(
      try translator.expression(lhs), .notEqualTo, try translator.expression(rhs))
  }
}

extension PredicateExpressions.Comparison: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    let comparison: ComparisonPredicate.Comparison
    switch op {
    case .lessThan: comparison = .lessThan
    case .lessThanOrEqual: comparison = .lessThanOrEqualTo
    case .greaterThan: comparison = .greaterThan
    case .greaterThanOrEqual: comparison = .greaterThanOrEqualTo
    @unknown default: throw PredicateTranslator.unsupported(self)
    }
    return PredicateTranslator.comparison(
      try translator.expression(lhs), comparison, try translator.expression(rhs))
  }
}

extension PredicateExpressions.Arithmetic: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    let function: FetchFunction
    switch op {
    case .add: function = .add
    case .subtract: function = .subtract
    case .multiply: function = .multiply
    @unknown default: throw PredicateTranslator.unsupported(self)
    }
    return .expression(
      .function(function, [try translator.expression(lhs), try translator.expression(rhs)]))
  }
}

extension PredicateExpressions.FloatDivision: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .expression(
      .function(.divide, [try translator.expression(lhs), try translator.expression(rhs)]))
  }
}

extension PredicateExpressions.IntDivision: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .expression(
      .function(.divide, [try translator.expression(lhs), try translator.expression(rhs)]))
  }
}

extension PredicateExpressions.IntRemainder: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .expression(
      .function(.modulus, [try translator.expression(lhs), try translator.expression(rhs)]))
  }
}

extension PredicateExpressions.UnaryMinus: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .expression(.function(.negate, [try translator.expression(wrapped)]))
  }
}

extension PredicateExpressions.Conditional: TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part {
    .expression(
      .conditional(
        try translator.predicate(test), try translator.expression(trueBranch),
        try translator.expression(falseBranch)))
  }
}
