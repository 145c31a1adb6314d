// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// The sort keys of many items for one sort step, stored by type.
package struct SortColumn {
  private let content: Content
  private let ascending: Bool

  private enum Content {
    /// Integers, and flags for those that are nil.
    case integers([Int64], isNull: [Bool])
    case doubles([Double], isNull: [Bool])
    case strings([String], isNull: [Bool])
    case localized([String?], Compare)
    case values([Value])
  }

  private typealias Compare = @Sendable (String, String) -> ComparisonResult

  package init(_ values: [Value], _ comparator: SortOrdering.Comparator, ascending: Bool) {
    self.ascending = ascending
    content = Self.content(values, comparator)
  }

  /// Returns the order of two items: negative when the one at `left` comes first.
  package func order(_ left: Int, _ right: Int) -> Int {
    let order =
      switch content {
      case .integers(let numbers, let isNull): Self.order(numbers, isNull, left, right)
      case .doubles(let numbers, let isNull): Self.order(numbers, isNull, left, right)
      case .strings(let texts, let isNull):
        isNull[left] || isNull[right]
          ? Self.nullOrder(isNull[left], isNull[right])
          : UTF8Order.compare(texts[left], texts[right])
      case .localized(let texts, let compare):
        Self.order(texts[left], texts[right], compare)
      case .values(let values): ValueOrder.compare(values[left], values[right]).sign
      }
    return ascending ? order : -order
  }

  private static func content(
    _ values: [Value], _ comparator: SortOrdering.Comparator
  ) -> Content {
    let isNull = values.map(\.isNull)
    if let integers = all(values, 0, \.asInteger) { return .integers(integers, isNull: isNull) }
    if let doubles = all(values, 0, \.asDouble) { return .doubles(doubles, isNull: isNull) }
    guard let texts = all(values, "", \.asString) else { return .values(values) }
    switch comparator {
    case .binary: return .strings(texts, isNull: isNull)
    case .caseInsensitive:
      return .strings(
        texts.map { ComparisonPredicate.Options.caseInsensitive.folding($0) }, isNull: isNull)
    case .localized:
      return .localized(optional(texts, isNull)) { $0.compare($1, locale: .current) }
    case .localizedStandard:
      return .localized(optional(texts, isNull)) { $0.localizedStandardCompare($1) }
    }
  }

  private static func optional(_ texts: [String], _ isNull: [Bool]) -> [String?] {
    zip(texts, isNull).map { $1 ? nil : $0 }
  }

  /// Converts the values to one type; nil when one has another type.
  private static func all<T>(
    _ values: [Value], _ null: T, _ convert: (Value) -> T?
  ) -> [T]? {
    var result: [T] = []
    result.reserveCapacity(values.count)
    for value in values {
      if value.isNull {
        result.append(null)
      } else if let converted = convert(value) {
        result.append(converted)
      } else {
        return nil
      }
    }
    return result
  }

  private static func order<T: Comparable>(
    _ values: [T], _ isNull: [Bool], _ left: Int, _ right: Int
  ) -> Int {
    if isNull[left] || isNull[right] { return nullOrder(isNull[left], isNull[right]) }
    return ValueComparison.order(values[left], values[right])
  }

  private static func nullOrder(_ left: Bool, _ right: Bool) -> Int {
    left == right ? 0 : left ? -1 : 1
  }

  private static func order(_ left: String?, _ right: String?, _ compare: Compare) -> Int {
    guard let left, let right else { return nullOrder(left == nil, right == nil) }
    return compare(left, right).rawValue
  }
}
