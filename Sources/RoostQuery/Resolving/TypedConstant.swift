// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A constant converted to the type it is compared with, so that a store binds values of one type only.
///
/// A number that the type cannot represent keeps its order: `age > 17.5` becomes `age >= 18`.
enum TypedConstant {
  case value(Value)
  /// No value of the type equals the constant, which is between these two.
  case between(Value, Value)
  /// Every value of the type is smaller.
  case aboveAll
  /// Every value of the type is larger.
  case belowAll

  /// Converts a non-nil constant; nil when it is not comparable with the type.
  init?(_ value: Value, as type: ExpressionType) {
    switch type {
    case .integer:
      guard let number = value.number else { return nil }
      self = Self.integer(number)
    case .double:
      guard let number = value.number else { return nil }
      self = Self.double(number)
    case .decimal:
      guard let number = value.number else { return nil }
      self = Self.decimal(number)
    case .boolean:
      guard let number = value.number else { return nil }
      self = Self.truth(number)
    case .unknown: self = .value(value)
    default:
      guard ExpressionType(value) == type else { return nil }
      self = .value(value)
    }
  }

  private static func integer(_ number: Number) -> TypedConstant {
    switch number {
    case .integer(let number): return .value(.integer(number))
    case .double(let number):
      if let exact = Int64(exactly: number) { return .value(.integer(exact)) }
      if number >= 0x1p63 { return .aboveAll }
      if number < -0x1p63 { return .belowAll }
      let floor = Int64(number.rounded(.down))
      return .between(.integer(floor), .integer(floor + 1))
    case .decimal(let number):
      guard case .decimal(let floor) = FetchFunction.floor.apply(.decimal(number)) else {
        return .aboveAll
      }
      if floor > Decimal(Int64.max) { return .aboveAll }
      if floor < Decimal(Int64.min) { return .belowAll }
      guard let lower = Int64(DecimalText.text(floor)) else { return .aboveAll }
      if floor == number { return .value(.integer(lower)) }
      return lower == .max ? .aboveAll : .between(.integer(lower), .integer(lower + 1))
    }
  }

  private static func double(_ number: Number) -> TypedConstant {
    switch number {
    case .double(let number): return .value(.double(number == 0 ? 0 : number))
    case .decimal: return .value(.double(number.double))
    case .integer(let number):
      let nearest = Double(number)
      switch ValueOrder.compare(number, nearest) {
      case .equal: return .value(.double(nearest))
      case .less: return .between(.double(nearest.nextDown), .double(nearest))
      case .greater: return .between(.double(nearest), .double(nearest.nextUp))
      }
    }
  }

  /// Converts a number to a decimal; a double by its shortest digits, as a program means `10.1`.
  private static func decimal(_ number: Number) -> TypedConstant {
    if let exact = number.exactDecimal { return .value(.decimal(exact)) }
    if let decimal = DecimalText.decimal("\(number.double)") { return .value(.decimal(decimal)) }
    return number.double < 0 ? .belowAll : .aboveAll
  }

  private static func truth(_ number: Number) -> TypedConstant {
    let number = number.double
    if number < 0 { return .belowAll }
    if number > 1 { return .aboveAll }
    if number == 0 || number == 1 { return .value(.boolean(number == 1)) }
    return .between(.boolean(false), .boolean(true))
  }

  /// Returns the smallest value of the type that is not below the constant; nil when there is none. `unbounded`
  /// replaces a constant below all values.
  func lowerBound(unbounded: Value) -> Value? {
    switch self {
    case .value(let value): value
    case .between(_, let upper): upper
    case .belowAll: unbounded
    case .aboveAll: nil
    }
  }

  /// Returns the largest value of the type that is not above the constant.
  func upperBound(unbounded: Value) -> Value? {
    switch self {
    case .value(let value): value
    case .between(let lower, _): lower
    case .aboveAll: unbounded
    case .belowAll: nil
    }
  }
}

extension ExpressionType {
  /// The smallest and the largest value, for bounds that are beyond them.
  var extremes: (lowest: Value, highest: Value)? {
    switch self {
    case .integer: (.integer(.min), .integer(.max))
    case .double: (.double(-.infinity), .double(.infinity))
    case .boolean: (.boolean(false), .boolean(true))
    case .decimal: (.decimal(-Decimal.greatestFiniteMagnitude), .decimal(.greatestFiniteMagnitude))
    default: nil
    }
  }
}
