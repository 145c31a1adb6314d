// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A condition on objects: a value that can be shared, compared and printed.
///
/// Make one with the typed operators, from a format string or from Foundation's `#Predicate`; all three give the same
/// tree.
///
/// ```swift
/// let adults = try FetchPredicate("age >= %d AND name BEGINSWITH[c] %@", 18, "a")
/// ```
public indirect enum FetchPredicate: Sendable, Hashable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  /// One comparison of two expressions.
  case comparison(ComparisonPredicate)
  /// All of the conditions; true when there are none.
  case and([FetchPredicate])
  /// At least one of the conditions; false when there are none.
  case or([FetchPredicate])
  /// The negation of a condition.
  case not(FetchPredicate)
}
