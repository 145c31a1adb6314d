// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A condition with names resolved in the model, as passed to a store.
///
/// `NOT` is two-valued as in Core Data's in-memory stores: a comparison with nil is false, its negation true, except
/// that `==` and `!=` treat nil as a value.
///
/// ```swift
/// func isSimple(_ predicate: ResolvedPredicate) -> Bool {
///   switch predicate {
///   case .constant, .comparison: true
///   case .and(let parts), .or(let parts): parts.allSatisfy(isSimple)
///   case .not(let part): isSimple(part)
///   }
/// }
/// ```
public indirect enum ResolvedPredicate: Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  /// A comparison of two expressions.
  case comparison(ResolvedComparison)
  /// All of them hold; true when empty.
  case and([ResolvedPredicate])
  /// At least one of them holds; false when empty.
  case or([ResolvedPredicate])
  /// It does not hold.
  case not(ResolvedPredicate)
}

/// A comparison of resolved expressions.
///
/// ```swift
/// if case .path(let path) = comparison.left, case .constant(let value) = comparison.right,
///   comparison.comparison == .equalTo
/// {
///   return lookUp(value, path)
/// }
/// ```
public struct ResolvedComparison: Sendable {
  /// The left side; a path with `any` and `all`.
  public var left: ResolvedExpression
  /// The comparison operator.
  public var comparison: ComparisonPredicate.Comparison
  /// The right side.
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
