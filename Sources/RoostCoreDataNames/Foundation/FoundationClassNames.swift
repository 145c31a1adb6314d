// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
public import Foundation

// Foundation's classes for comparisons and expressions exist outside of Apple's systems, but are marked deprecated
// because they cannot be instantiated. This module makes instances, so programs should be able to name the classes
// without a warning: the names in this module shadow Foundation's and denote the same classes. The types are inferred
// from functions that are marked deprecated, too, since naming them elsewhere would cause a warning in this module.

/// Names a class of Foundation without naming it in a declaration.
///
/// ```swift
/// public typealias NSExpression = ExpressionName.Named
/// ```
public protocol FoundationName {
  /// The class.
  associatedtype Named
  /// Never called: its type determines `Named`.
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

/// `NSExpression`, for programs written for an earlier version of this product, in which it was another class.
public typealias FetchExpression = NSExpression
/// `NSComparisonPredicate`, for programs written for an earlier version of this product, in which it was another
/// class.
public typealias FetchComparisonPredicate = NSComparisonPredicate
#endif
