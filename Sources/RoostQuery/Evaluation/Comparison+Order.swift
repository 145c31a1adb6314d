// SPDX-License-Identifier: Apache-2.0

extension ComparisonPredicate.Comparison {
  /// Whether it is an ordering comparison.
  package var isOfOrder: Bool {
    switch self {
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: true
    default: false
    }
  }
}
