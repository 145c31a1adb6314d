// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
public import RoostQuery

/// A comparison of two expressions: what `NSComparisonPredicate` is on Apple's systems. Foundation's class has the name
/// elsewhere too, but cannot be made.
///
/// A program gives both classes their names with a line each:
///
/// ```swift
/// typealias NSExpression = FetchExpression
/// typealias NSComparisonPredicate = FetchComparisonPredicate
///
/// request.predicate = NSComparisonPredicate(
///   leftExpression: NSExpression(forKeyPath: "name"),
///   rightExpression: NSExpression(forConstantValue: "a"),
///   modifier: .direct, type: .beginsWith, options: .caseInsensitive)
/// ```
public final class FetchComparisonPredicate: FormatPredicate {
  /// How two values are compared.
  public typealias Operator = ComparisonPredicate.Comparison
  /// How many of the values of a to-many key path must satisfy the comparison.
  public typealias Modifier = ComparisonPredicate.Modifier
  /// How strings are compared.
  public typealias Options = ComparisonPredicate.Options

  private let comparison: ComparisonPredicate

  /// Compares two expressions.
  ///
  /// - Parameters:
  ///   - left: What stands on the left.
  ///   - right: What stands on the right.
  ///   - modifier: How many of the values of a to-many key path must satisfy the comparison.
  ///   - type: How the two are compared.
  ///   - options: How strings are compared.
  public init(
    leftExpression left: FetchExpression, rightExpression right: FetchExpression,
    modifier: Modifier, type: Operator, options: Options = []
  ) {
    comparison = ComparisonPredicate(left, type, right, modifier: modifier, options: options)
    super.init(.comparison(comparison))
  }

  /// Returns nil: predicates are not archived.
  public required init?(coder: NSCoder) {
    nil
  }

  /// What stands on the left.
  public var leftExpression: FetchExpression { comparison.left }
  /// What stands on the right.
  public var rightExpression: FetchExpression { comparison.right }
  /// How many of the values of a to-many key path must satisfy the comparison.
  public var comparisonPredicateModifier: Modifier { comparison.modifier }
  /// How the two are compared.
  public var predicateOperatorType: Operator { comparison.comparison }
  /// How strings are compared.
  public var options: Options { comparison.options }
}
#endif
