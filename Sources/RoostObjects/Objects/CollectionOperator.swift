// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// An operator in a key path behind a to-many relationship, which computes one value from many.
enum CollectionOperator: String {
  case sum = "@sum"
  case average = "@avg"
  case smallest = "@min"
  case largest = "@max"
  case all = "@unionOfObjects"
  case distinct = "@distinctUnionOfObjects"

  /// Returns the result; `NSNull` when there is none, nil for values of the wrong kind.
  func result(of values: [Any]) -> Any? {
    switch self {
    case .all: return values
    case .distinct:
      var seen = Set<AnyHashable>()
      return values.filter { value in
        guard let value = value as? AnyHashable else { return true }
        return seen.insert(value).inserted
      }
    case .sum, .average:
      let numbers = values.compactMap { $0 as? NSNumber }
      guard numbers.count == values.count else { return nil }
      if self == .average, numbers.isEmpty { return NSNull() }
      return CollectionOperator.sum(of: numbers, isAverage: self == .average)
    case .smallest, .largest:
      let known = values.compactMap { Value(any: $0) }
      guard known.count == values.count else { return nil }
      let wanted: ValueOrder = self == .smallest ? .less : .greater
      let best = known.reduce(nil as Value?) { best, value in
        guard let best else { return value }
        return ValueOrder.compare(value, best) == wanted ? value : best
      }
      return best?.anyValue ?? NSNull()
    }
  }

  /// Integers stay integers unless they overflow; decimals stay exact.
  private static func sum(of numbers: [NSNumber], isAverage: Bool) -> NSNumber {
    let values = numbers.compactMap { Value(any: $0) }
    var whole: Int64? = 0
    var exact: DecimalSum? = DecimalSum()
    var real = 0.0
    for (value, number) in zip(values, numbers) {
      if case .decimal(let number) = value {
        real += DecimalParts.double(number)
      } else {
        real += number.doubleValue
      }
      if case .integer(let next) = value, let sum = whole?.addingReportingOverflow(next) {
        whole = sum.overflow ? nil : sum.partialValue
      } else {
        whole = nil
      }
      switch value {
      case .decimal(let next): exact?.add(next)
      case .integer(let next): exact?.add(Decimal(next))
      default: exact = nil
      }
    }
    if isAverage {
      if let exact, whole == nil {
        return NSDecimalNumber(decimal: (exact.decimal ?? .nan) / Decimal(numbers.count))
      }
      return NSNumber(value: real / Double(numbers.count))
    }
    if let whole { return NSNumber(value: whole) }
    if let exact { return NSDecimalNumber(decimal: exact.decimal ?? .nan) }
    return NSNumber(value: real)
  }
}
