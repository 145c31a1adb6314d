// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The original type of an `NSNumber`: a cast cannot determine it, since a number can be cast to every type that can
/// represent it.
enum NumberValue {
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)

  init(_ number: NSNumber) {
    // The two Boolean numbers are unique objects, different from all other numbers.
    if number === NSNumber(value: true) || number === NSNumber(value: false) {
      self = .boolean(number.boolValue)
    } else if number is NSDecimalNumber, !number.decimalValue.isNaN {
      self = .decimal(number.decimalValue)
    } else {
      switch String(cString: number.objCType) {
      case "f", "d": self = .double(number.doubleValue)
      case "Q" where number.uint64Value > Int64.max: self = .decimal(Decimal(number.uint64Value))
      default: self = .integer(number.int64Value)
      }
    }
  }

  /// The number.
  var number: NSNumber {
    switch self {
    case .boolean(let truth): NSNumber(value: truth)
    case .integer(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .decimal(let number): NSDecimalNumber(decimal: number)
    }
  }
}
