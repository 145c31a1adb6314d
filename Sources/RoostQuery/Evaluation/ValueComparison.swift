// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Comparison of values in predicates: numbers of all types by their mathematical value, strings and bytes by bytes;
/// values without a common type, and nil, are unordered.
///
/// ``ValueOrder`` is a total order, this one is partial.
enum ValueComparison {
  /// Compares two values: negative when `left` is smaller, 0 when they are equal, nil when they cannot be compared,
  /// such as nil with anything.
  static func compare(_ left: Value, _ right: Value) -> Int? {
    switch (left, right) {
    case (.string(let left), .string(let right)): UTF8Order.compare(left, right)
    case (.date(let left), .date(let right)):
      order(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.data(let left), .data(let right)): ValueOrder.compare(left, right).sign
    case (.uuid(let left), .uuid(let right)): ValueOrder.compare(left, right).sign
    case (.uri(let left), .uri(let right)):
      UTF8Order.compare(left.absoluteString, right.absoluteString)
    default: compareNumbers(left, right)
    }
  }

  /// Whether two values are equal; nil equals only nil.
  static func areEqual(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.objectID(let left), .objectID(let right)): left.current == right.current
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy(areEqual)
    // By their bytes; an object without bytes is encoded.
    case (.transformable, .transformable): ValueOrder.compare(left, right) == .equal
    default: compare(left, right) == 0
    }
  }

  static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }
}

// MARK: - Numbers

extension ValueComparison {
  private static func compareNumbers(_ left: Value, _ right: Value) -> Int? {
    switch (left.number, right.number) {
    case (.integer(let left), .integer(let right)): order(left, right)
    case (.double(let left), .double(let right)): order(left, right)
    case (.integer(let left), .double(let right)): ValueOrder.compare(left, right).sign
    case (.double(let left), .integer(let right)): -ValueOrder.compare(right, left).sign
    case (.decimal(let left), .decimal(let right)): order(left, right)
    case (.decimal(let left), .integer(let right)): order(left, Decimal(right))
    case (.integer(let left), .decimal(let right)): order(Decimal(left), right)
    case (.decimal(let left), .double(let right)): compare(left, right)
    case (.double(let left), .decimal(let right)): -compare(right, left)
    default: nil
    }
  }

  /// Compares with the decimal of the double's shortest representation.
  static func compare(_ left: Decimal, _ right: Double) -> Int {
    guard right.isFinite else { return right < 0 ? 1 : -1 }
    if let right = DecimalText.decimal("\(right)") { return order(left, right) }
    return order(DecimalParts.double(left), right)
  }
}

/// A value as a number.
enum Number {
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)
}

extension Value {
  /// The value as a number; Booleans are 1 and 0. nil for other values.
  var number: Number? {
    switch self {
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .decimal(let number): .decimal(number)
    case .boolean(let truth): .integer(truth ? 1 : 0)
    default: nil
    }
  }
}

extension ValueOrder {
  /// Negative, 0 or positive.
  var sign: Int {
    switch self {
    case .less: -1
    case .equal: 0
    case .greater: 1
    }
  }
}
