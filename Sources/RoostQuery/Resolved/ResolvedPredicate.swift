// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A condition whose names were found in the model: what a store is asked.
///
/// `NOT` is two-valued as in Core Data's in-memory stores: a comparison with nil is false, its negation true, except
/// that `==` and `!=` treat nil as a value (B142).
public indirect enum ResolvedPredicate: Sendable {
  case constant(Bool)
  case comparison(ResolvedComparison)
  case and([ResolvedPredicate])
  case or([ResolvedPredicate])
  case not(ResolvedPredicate)
}

/// A comparison whose expressions are resolved.
public struct ResolvedComparison: Sendable {
  /// What stands on the left; a path with `any` and `all`.
  public var left: ResolvedExpression
  /// How the two are compared.
  public var comparison: ComparisonPredicate.Comparison
  /// What stands on the right.
  public var right: ResolvedExpression
  /// How many of the values of the left path must satisfy the comparison.
  public var modifier: ComparisonPredicate.Modifier
  /// How strings are compared.
  public var options: ComparisonPredicate.Options

  /// Makes a comparison.
  public init(
    left: ResolvedExpression, comparison: ComparisonPredicate.Comparison,
    right: ResolvedExpression, modifier: ComparisonPredicate.Modifier = .direct,
    options: ComparisonPredicate.Options = []
  ) {
    self.left = left
    self.comparison = comparison
    self.right = right
    self.modifier = modifier
    self.options = options
  }
}
