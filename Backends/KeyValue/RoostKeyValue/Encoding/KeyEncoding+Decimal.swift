// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension KeyEncoding {
  /// Appends a decimal: a sign, the place of the first digit, and the digits in pairs.
  ///
  /// The digits begin with a digit that is not zero and end with one, so equal numbers have equal bytes however they
  /// were written (1.10 is 1.1). A pair of digits is a byte from 1 to 100; a zero byte ends them.
  package static func appendDecimal(_ value: Decimal, to bytes: inout [UInt8]) {
    let number = DecimalDigits(value)
    guard !number.digits.isEmpty else {
      bytes.append(0x80)
      return
    }
    let start = bytes.count
    bytes.append(0xC0)
    withUnsafeBytes(of: UInt16(bitPattern: Int16(number.exponent) ^ .min).bigEndian) {
      bytes.append(contentsOf: $0)
    }
    for index in stride(from: 0, to: number.digits.count, by: 2) {
      let ones = index + 1 < number.digits.count ? number.digits[index + 1] : 0
      bytes.append(number.digits[index] * 10 + ones + 1)
    }
    bytes.append(0)
    if number.isNegative { complement(&bytes, from: start) }
  }
}

/// A decimal as `0.d1d2d3... x 10^exponent`, with d1 and the last digit not zero.
private struct DecimalDigits {
  var isNegative = false
  var exponent = 0
  var digits: [UInt8] = []

  init(_ value: Decimal) {
    var isFraction = false
    for byte in value.description.utf8 {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      default:
        let digit = byte &- UInt8(ascii: "0")
        if digit != 0 || !digits.isEmpty {
          digits.append(digit)
          if !isFraction { exponent += 1 }
        } else if isFraction {
          exponent -= 1
        }
      }
    }
    while digits.last == 0 { digits.removeLast() }
  }
}
