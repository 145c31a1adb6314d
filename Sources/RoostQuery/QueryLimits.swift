// SPDX-License-Identifier: Apache-2.0

/// How large a query may be. Beyond a limit it is refused with `limitExceeded`, before anything is done.
///
/// ```swift
/// precondition(depth <= QueryLimits.maximumDepth)
/// ```
public enum QueryLimits {
  /// How deeply conditions and expressions may be nested. Operands of one `AND` or `OR` are not nested in each other.
  public static let maximumDepth = 200
  /// How many nodes a query may have.
  public static let maximumNodeCount = 16_000_000
}
