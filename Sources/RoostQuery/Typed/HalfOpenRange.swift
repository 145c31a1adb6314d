// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A half-open range in a single comparison, which needs the largest value below the upper bound.
struct HalfOpenRange {
  private let lower: Value
  /// The upper bound, which is not in the range.
  private let end: Value
  private let isEmpty: Bool

  init<Bound: AttributeValue & Comparable>(_ range: Range<Bound>) {
    lower = range.lowerBound.attributeValue
    end = range.upperBound.attributeValue
    isEmpty = range.isEmpty
  }

  /// The bounds of the closed range of the same values: none for an empty range, nil for a type without neighbours.
  var closedBounds: [Value]? {
    guard !isEmpty else { return [] }
    switch end {
    case .integer(let number) where number > .min: return [lower, .integer(number - 1)]
    case .double(let number): return [lower, .double(number.nextDown)]
    case .date(let date):
      let last = date.timeIntervalSinceReferenceDate.nextDown
      return [lower, .date(Date(timeIntervalSinceReferenceDate: last))]
    default: return nil
    }
  }
}

extension QueryField {
  /// Whether the field is in a half-open range, in a single comparison.
  func compared(to range: HalfOpenRange) -> FetchPredicate {
    guard let bounds = range.closedBounds else {
      let reason =
        "A half-open range of any element is one of numbers or dates: use a closed range, or "
        + "compare all elements."
      return compared(.equalTo, .refused(RefusedKeyPath(because: reason)))
    }
    return compared(bounds.isEmpty ? .in : .between, .list(bounds.map { .constant($0) }))
  }
}
