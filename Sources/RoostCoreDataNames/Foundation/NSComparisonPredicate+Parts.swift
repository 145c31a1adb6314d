// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
public import Foundation
import RoostQuery

extension NSCopying where Self: NSComparisonPredicate {
  /// Compares two expressions.
  ///
  /// - Parameters:
  ///   - left: The left expression.
  ///   - right: The right expression.
  ///   - modifier: Whether all or any values of a to-many key path must satisfy the comparison.
  ///   - type: The comparison operator.
  ///   - options: The options of string comparison.
  public init(
    leftExpression left: NSExpression, rightExpression right: NSExpression,
    modifier: NSComparisonPredicate.Modifier, type: NSComparisonPredicate.Operator,
    options: NSComparisonPredicate.Options = []
  ) {
    let comparison = ComparisonPredicate(
      FetchConditions.expression(of: left), Self.operators[Int(type.rawValue)],
      FetchConditions.expression(of: right), modifier: Self.modifiers[Int(modifier.rawValue)],
      options: ComparisonPredicate.Options(rawValue: Int(options.rawValue)))
    self = unsafeDowncast(FormatComparison.make(comparison), to: Self.self)
  }

  /// The left expression.
  public var leftExpression: NSExpression { FetchConditions.expression(of: comparison.left) }

  /// The right expression.
  public var rightExpression: NSExpression { FetchConditions.expression(of: comparison.right) }

  /// Whether all or any values of a to-many key path must satisfy the comparison.
  public var comparisonPredicateModifier: NSComparisonPredicate.Modifier {
    let index = Self.modifiers.firstIndex(of: comparison.modifier) ?? 0
    return NSComparisonPredicate.Modifier(rawValue: UInt(index)) ?? .direct
  }

  /// The comparison operator. A full-text search, for which Foundation has no raw value, is reported as
  /// `customSelector` on Apple's systems and as `matches` elsewhere: the predicate itself stays a search.
  public var predicateOperatorType: NSComparisonPredicate.Operator {
    let index = Self.operators.firstIndex(of: comparison.comparison)
    #if canImport(Darwin)
    let search = NSComparisonPredicate.Operator.customSelector
    #else
    let search = NSComparisonPredicate.Operator.matches
    #endif
    return index.flatMap { NSComparisonPredicate.Operator(rawValue: UInt($0)) } ?? search
  }

  /// The options of string comparison.
  public var options: NSComparisonPredicate.Options {
    NSComparisonPredicate.Options(rawValue: UInt(comparison.options.rawValue))
  }

  private var comparison: ComparisonPredicate {
    guard let known = self as? FormatComparison else {
      preconditionFailure("Only comparisons of this module can be made.")
    }
    return known.comparison
  }

  /// The comparisons in the order of Foundation's raw values.
  private static var operators: [ComparisonPredicate.Comparison] {
    [
      .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo,
      .matches, .like, .beginsWith, .endsWith, .in, .contains, .between,
    ]
  }

  /// The modifiers in the order of Foundation's raw values.
  private static var modifiers: [ComparisonPredicate.Modifier] { [.direct, .all, .any] }
}
#endif
