// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Binary arithmetic.
extension FetchFunction {
  func arithmetic(_ left: Value, _ right: Value) -> Value {
    guard let left = left.number, let right = right.number else { return .null }
    switch (left, right) {
    case (.integer(let left), .integer(let right)):
      return arithmetic(left, right).map(Value.integer) ?? .null
    default: break
    }
    if let left = left.exactDecimal, let right = right.exactDecimal {
      return arithmetic(left, right).map(Value.decimal) ?? .null
    }
    return Self.value(arithmetic(left.double, right.double))
  }

  private func arithmetic(_ left: Int64, _ right: Int64) -> Int64? {
    let (result, overflow) =
      switch self {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      default: left.remainderReportingOverflow(dividingBy: right)
      }
    // Division by zero is reported as an overflow; the remainder of the smallest integer by -1 is still 0.
    if overflow, self == .modulus, right == -1 { return 0 }
    return overflow ? nil : result
  }

  private func arithmetic(_ left: Double, _ right: Double) -> Double {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: right == 0 ? .nan : left / right
    default: right == 0 ? .nan : left.truncatingRemainder(dividingBy: right)
    }
  }

  private func arithmetic(_ left: Decimal, _ right: Decimal) -> Decimal? {
    var (left, right, result) = (left, right, Decimal())
    let error: NSDecimalNumber.CalculationError
    switch self {
    case .add: error = NSDecimalAdd(&result, &left, &right, .plain)
    case .subtract: error = NSDecimalSubtract(&result, &left, &right, .plain)
    case .multiply: return DecimalParts.product(left, right)
    case .divide:
      guard right != 0 else { return nil }
      error = NSDecimalDivide(&result, &left, &right, .plain)
      // A quotient below the smallest decimal is 0, as a product is.
      if error == .underflow { return 0 }
    default: return DecimalParts.remainder(left, right)
    }
    let isUsable = error == .noError || error == .lossOfPrecision
    return isUsable && !result.isNaN ? result : nil
  }

  /// Returns the result of a bitwise function; nil for shifts by less than 0 or more than 63.
  func bitwise(_ left: Int64, _ right: Int64) -> Int64? {
    switch self {
    case .bitwiseAnd: left & right
    case .bitwiseOr: left | right
    case .bitwiseXor: left ^ right
    case .leftShift: (0..<64).contains(right) ? left << right : nil
    default: (0..<64).contains(right) ? left >> right : nil
    }
  }

  /// Adds or subtracts dates and seconds; nil when neither side is a date.
  func dateArithmetic(_ left: Value, _ right: Value) -> Value? {
    switch (left, right) {
    case (.date(let left), .date(let right)):
      guard self == .subtract else { return .null }
      return Self.value(
        left.timeIntervalSinceReferenceDate - right.timeIntervalSinceReferenceDate)
    case (.date(let date), let other):
      guard let seconds = other.number?.double else { return .null }
      return Self.date(
        date.timeIntervalSinceReferenceDate + (self == .add ? seconds : -seconds))
    case (let other, .date(let date)):
      guard self == .add, let seconds = other.number?.double else { return .null }
      return Self.date(date.timeIntervalSinceReferenceDate + seconds)
    default: return nil
    }
  }

  private static func date(_ seconds: Double) -> Value {
    seconds.isNaN ? .null : .date(Date(timeIntervalSinceReferenceDate: seconds))
  }
}
