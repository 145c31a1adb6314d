// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The binary format of PostgreSQL's `numeric`: digits of base 10,000, the weight of the first, the sign, and the
/// number of displayed decimal places.
enum NumericCode {
  private static let negative: UInt16 = 0x4000
  /// An upper bound of the digits of the longest decimal: 39 decimal digits, which may begin and end within a
  /// base-10,000 digit; the zeros of the largest exponents are not sent.
  private static let digitLimit = 64

  /// Appends a decimal.
  static func append(_ decimal: Decimal, to buffer: BinaryBuffer) {
    var parts = DecimalParts(decimal)
    parts.removeTrailingZeros()
    guard parts.mantissa != 0 else {
      return append(digits: 0, weight: 0, sign: 0, scale: 0, buffer)
    }
    // The exponent becomes one of base 10,000: the remainder goes into the mantissa.
    let shift = ((parts.exponent % 4) + 4) % 4
    var weight = (parts.exponent - shift) / 4
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: digitLimit) { digits in
      var count = 0
      var rest = parts.mantissa
      var first = true
      while rest != 0 {
        // The lowest digit has `shift` zeros at its end.
        let base: UInt128 = first ? powers[4 - shift] : 10_000
        let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: base)
        digits[count] = UInt16(remainder) * (first ? UInt16(powers[shift]) : 1)
        count += 1
        rest = quotient
        first = false
      }
      weight += count - 1
      append(
        digits: Int16(count), weight: Int16(weight), sign: parts.isNegative ? negative : 0,
        scale: Int16(max(0, -parts.exponent)), buffer)
      for index in stride(from: count - 1, through: 0, by: -1) { buffer.append(digits[index]) }
    }
  }

  private static let powers: [UInt128] = [1, 10, 100, 1000, 10_000]

  private static func append(
    digits: Int16, weight: Int16, sign: UInt16, scale: Int16, _ buffer: BinaryBuffer
  ) {
    buffer.append(digits)
    buffer.append(weight)
    buffer.append(sign)
    buffer.append(scale)
  }

  /// The result of decoding a numeric.
  enum Reading: Equatable {
    case decimal(Decimal)
    /// The value is out of the range of `Decimal`.
    case outOfRange
    /// The bytes are malformed, or NaN or an infinity, which no store writes.
    case damaged
  }

  /// Decodes a numeric. A value with more digits than a `Decimal` is rounded, like the result of a `Decimal`
  /// calculation.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> Reading {
    guard bytes.count >= 8 else { return .damaged }
    func word(_ index: Int) -> UInt16 {
      UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
    }
    let count = Int(word(0))
    let sign = word(2)
    guard bytes.count == 8 + count * 2, sign == 0 || sign == negative else { return .damaged }
    guard count > 0 else { return .decimal(Decimal()) }
    let weight = Int(Int16(bitPattern: word(1)))
    var exponent = (weight - count + 1) * 4
    var mantissa: UInt128 = 0
    for index in 0..<count {
      let digit = word(4 + index)
      guard digit < 10_000 else { return .damaged }
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10_000)
      let (sum, carry) = product.addingReportingOverflow(UInt128(digit))
      guard !overflow, !carry else {
        return rounded(bytes, mantissa: mantissa, next: index, weight: weight, count: count)
      }
      mantissa = sum
    }
    var parts = DecimalParts(isNegative: sign == negative, exponent: exponent, mantissa: mantissa)
    parts.removeTrailingZeros()
    exponent = parts.exponent
    return parts.decimal.map(Reading.decimal) ?? (exponent > 0 ? .outOfRange : .decimal(Decimal()))
  }

  /// Rounds a numeric with too many digits: Foundation rounds its decimal text.
  private static func rounded(
    _ bytes: UnsafeRawBufferPointer, mantissa: UInt128, next: Int, weight: Int, count: Int
  ) -> Reading {
    // The last digits may be only zeros, without which the number fits: they are skipped one at a time.
    var mantissa = mantissa
    var exponent = (weight - next + 1) * 4
    var isExact = true
    var nextDigit: UInt128 = 0
    for index in next..<count {
      let digit = UInt16(
        bigEndian: bytes.loadUnaligned(fromByteOffset: 8 + index * 2, as: UInt16.self))
      if index == next { nextDigit = UInt128(digit) } else if digit != 0 { isExact = false }
    }
    // As many of the next four decimal digits as still fit.
    var taken = 0
    while taken < 4 {
      let digit = nextDigit / powers[3 - taken] % 10
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(digit)
      if overflow || carry { break }
      mantissa = sum
      exponent -= 1
      taken += 1
    }
    let left = nextDigit % powers[4 - taken]
    let half = powers[4 - taken] / 2
    if taken < 4, left > half || (left == half && (!isExact || !mantissa.isMultiple(of: 2))) {
      let (sum, carry) = mantissa.addingReportingOverflow(1)
      if carry { return .outOfRange }
      mantissa = sum
    }
    let sign = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
    var parts = DecimalParts(isNegative: sign == negative, exponent: exponent, mantissa: mantissa)
    parts.removeTrailingZeros()
    return parts.decimal.map(Reading.decimal) ?? .outOfRange
  }
}
