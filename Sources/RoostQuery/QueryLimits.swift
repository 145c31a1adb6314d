// SPDX-License-Identifier: Apache-2.0

/// The limits of a query's size. A query beyond a limit is refused with `limitExceeded`, before it is executed.
///
/// ```swift
/// precondition(depth <= QueryLimits.maximumDepth)
/// ```
public enum QueryLimits {
  /// The maximum nesting depth of conditions and expressions. Operands of one `AND` or `OR` are not nested in each
  /// other.
  public static let maximumDepth = 200
  /// The maximum number of nodes in a query.
  public static let maximumNodeCount = 16_000_000
}
