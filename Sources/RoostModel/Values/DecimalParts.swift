// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The sign, exponent and digits of a decimal.
///
/// Foundation's own accessors divide, which takes microseconds, so the 20 bytes are read directly if they have the
/// expected layout, which is checked once; otherwise the decimal's description is parsed.
package struct DecimalParts: Equatable {
  package var isNegative: Bool
  package var exponent: Int
  package var mantissa: UInt128

  package init(isNegative: Bool, exponent: Int, mantissa: UInt128) {
    self.isNegative = isNegative
    self.exponent = exponent
    self.mantissa = mantissa
  }

  /// Splits a decimal into its parts.
  package init(_ decimal: Decimal) {
    self = Self.isLayoutKnown ? Self(bytesOf: decimal) : Self(descriptionOf: decimal)
  }

  /// The decimal with these parts; nil when the exponent is out of range.
  package var decimal: Decimal? {
    var parts = self
    while parts.exponent > 127, parts.mantissa <= UInt128.max / 10 {
      parts.mantissa *= 10
      parts.exponent -= 1
    }
    while parts.exponent < -128, parts.mantissa.isMultiple(of: 10), parts.mantissa != 0 {
      parts.mantissa /= 10
      parts.exponent += 1
    }
    guard parts.mantissa != 0 else { return Decimal() }
    guard let exponent = Int8(exactly: parts.exponent) else { return nil }
    if Self.isLayoutKnown { return parts.decimalFromBytes(exponent) }
    let sign = parts.isNegative ? "-" : ""
    return Decimal(string: "\(sign)\(parts.mantissa)e\(exponent)")
  }

  /// Removes trailing zeros from the mantissa.
  package mutating func removeTrailingZeros() {
    while mantissa != 0 {
      let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { return }
      mantissa = quotient
      exponent += 1
    }
  }

  /// Writes the digits of the mantissa, most significant first, and returns their number.
  package func writeDigits(into digits: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var rest = mantissa
    var start = digits.count
    while rest != 0 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      start -= 1
      digits[start] = UInt8(truncatingIfNeeded: remainder)
      rest = quotient
    }
    let count = digits.count - start
    for index in 0..<count { digits[index] = digits[start + index] }
    return count
  }
}

// MARK: - The bytes of a decimal

// The exponent, the flags, two unused bytes, then the mantissa's words, the low ones first. The flags hold the number
// of words and the sign; Apple's compilers put the word count into the low bits, swift-foundation into the high ones.
extension DecimalParts {
  #if canImport(Darwin)
  private static let lengthShift: UInt8 = 0
  private static let negativeFlag: UInt8 = 0x10
  #else
  private static let lengthShift: UInt8 = 4
  private static let negativeFlag: UInt8 = 0x08
  #endif

  private init(bytesOf decimal: Decimal) {
    self = withUnsafeBytes(of: decimal) { bytes in
      let words = Int(bytes[1] >> Self.lengthShift & 0x0F)
      var mantissa: UInt128 = 0
      for word in stride(from: min(words, 8) - 1, through: 0, by: -1) {
        let digit = UInt128(bytes[4 + word * 2]) | UInt128(bytes[5 + word * 2]) << 8
        mantissa = mantissa << 16 | digit
      }
      return DecimalParts(
        isNegative: bytes[1] & Self.negativeFlag != 0,
        exponent: Int(Int8(bitPattern: bytes[0])), mantissa: mantissa)
    }
  }

  private func decimalFromBytes(_ exponent: Int8) -> Decimal {
    var result = Decimal()
    withUnsafeMutableBytes(of: &result) { bytes in
      var rest = mantissa
      var words: UInt8 = 0
      while rest != 0 {
        bytes[4 + Int(words) * 2] = UInt8(truncatingIfNeeded: rest)
        bytes[5 + Int(words) * 2] = UInt8(truncatingIfNeeded: rest >> 8)
        rest >>= 16
        words += 1
      }
      bytes[0] = UInt8(bitPattern: exponent)
      bytes[1] = words << Self.lengthShift | (isNegative ? Self.negativeFlag : 0)
    }
    return result
  }

  private static let isLayoutKnown: Bool = {
    guard MemoryLayout<Decimal>.size == 20 else { return false }
    let samples = [
      ("0", false, 0, 0), ("-0.25", true, -2, 25), ("70000", false, 4, 7),
      ("12345678901234.5678901", false, -7, 123_456_789_012_345_678_901 as UInt128),
    ]
    return samples.allSatisfy { text, isNegative, exponent, mantissa in
      guard let decimal = Decimal(string: text) else { return false }
      var read = DecimalParts(bytesOf: decimal)
      read.removeTrailingZeros()
      let expected = DecimalParts(isNegative: isNegative, exponent: exponent, mantissa: mantissa)
      return read == expected
        && (mantissa == 0 || expected.decimalFromBytes(Int8(exponent)) == decimal)
    }
  }()

  private init(descriptionOf decimal: Decimal) {
    self.init(isNegative: false, exponent: 0, mantissa: 0)
    var isFraction = false
    for byte in decimal.description.utf8 {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
        if overflow {
          // Only zeros can follow 39 digits.
          exponent += isFraction ? 0 : 1
        } else {
          mantissa = product + UInt128(byte - UInt8(ascii: "0"))
          exponent -= isFraction ? 1 : 0
        }
      default: break
      }
    }
  }
}
