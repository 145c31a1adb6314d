// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
public import Foundation

// Foundation's classes for comparisons and expressions exist off Apple's systems, and are marked as deprecated because
// nothing can make an instance. Here instances are made, so a program may name the classes without a warning: their
// names of this module stand before Foundation's and mean the same classes. The types are inferred from functions that
// are marked in the same way, since naming them elsewhere would be a warning in this module.

/// Names a class of Foundation.
///
/// ```swift
/// public typealias NSExpression = ExpressionName.Named
/// ```
public protocol FoundationName {
  /// The class.
  associatedtype Named
  /// Never called: it says what `Named` is.
  static func named() -> Named?
}

/// Names Foundation's `NSExpression`.
///
/// ```swift
/// let expression: ExpressionName.Named = NSExpression(forKeyPath: "name")
/// ```
public enum ExpressionName: FoundationName {
  /// Never called.
  @available(*, deprecated)
  public static func named() -> Foundation.NSExpression? { nil }
}

/// Names Foundation's `NSExpression.ExpressionType`.
///
/// ```swift
/// let kind: ExpressionTypeName.Named = expression.expressionType
/// ```
public enum ExpressionTypeName: FoundationName {
  /// Never called.
  @available(*, deprecated)
  public static func named() -> Foundation.NSExpression.ExpressionType? { nil }
}

/// Names Foundation's `NSComparisonPredicate`.
///
/// ```swift
/// let isComparison = predicate is ComparisonPredicateName.Named
/// ```
public enum ComparisonPredicateName: FoundationName {
  /// Never called.
  @available(*, deprecated)
  public static func named() -> Foundation.NSComparisonPredicate? { nil }
}

/// Foundation's class.
public typealias NSExpression = ExpressionName.Named
/// Foundation's class.
public typealias NSComparisonPredicate = ComparisonPredicateName.Named

/// `NSExpression`, for programs that were written for a version of this product in which it was another class.
public typealias FetchExpression = NSExpression
/// `NSComparisonPredicate`, for programs that were written for a version of this product in which it was another class.
public typealias FetchComparisonPredicate = NSComparisonPredicate
#endif
