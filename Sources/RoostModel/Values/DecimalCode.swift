// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// An order-preserving binary encoding of decimals: byte-wise comparison gives the order of the numbers, and equal
/// numbers have equal bytes.
///
/// So a database without exact decimals can compare, sort, group and check uniqueness natively, with an index. The
/// bytes are:
///
/// - one byte for the sign: `0x40` negative, `0x80` zero (nothing follows), `0xC0` positive;
/// - two bytes, big-endian: the exponent of `0.ddd… × 10^exponent` plus 1024;
/// - the digits without trailing zeros, two in a byte, as `tens × 10 + ones + 1`;
/// - for negative numbers all bytes after the first are inverted, and `0xFF` ends them, so that the smaller of two
///   numbers comes first even if one has more digits.
package enum DecimalCode {
  private static let negative: UInt8 = 0x40
  private static let zero: UInt8 = 0x80
  private static let positive: UInt8 = 0xC0
  private static let bias = 1024
  /// The maximum size of a decimal in bytes: the sign, the exponent, 39 digits and the terminator.
  package static let maximumByteCount = 24

  /// Returns the bytes of a decimal.
  ///
  /// - Precondition: The decimal is a number; NaN is refused before a value reaches a store.
  package static func encode(_ decimal: Decimal) -> Data {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumByteCount) { buffer in
      let count = encode(decimal, into: buffer)
      return Data(buffer[..<count])
    }
  }

  /// Writes the bytes of a decimal and returns their number.
  package static func encode(
    _ decimal: Decimal, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var parts = DecimalParts(decimal)
    guard parts.mantissa != 0 else {
      buffer[0] = zero
      return 1
    }
    parts.removeTrailingZeros()
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { digits in
      let count = parts.writeDigits(into: digits)
      let mask: UInt8 = parts.isNegative ? 0xFF : 0
      let exponent = parts.exponent + count + bias
      buffer[0] = parts.isNegative ? negative : positive
      buffer[1] = UInt8(truncatingIfNeeded: exponent >> 8) ^ mask
      buffer[2] = UInt8(truncatingIfNeeded: exponent) ^ mask
      var end = 3
      for index in stride(from: 0, to: count, by: 2) {
        let ones = index + 1 < count ? digits[index + 1] : 0
        buffer[end] = (digits[index] * 10 + ones + 1) ^ mask
        end += 1
      }
      if parts.isNegative {
        buffer[end] = 0xFF
        end += 1
      }
      return end
    }
  }

  /// Decodes a decimal; nil for invalid bytes.
  package static func decode(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
    guard let sign = bytes.first else { return nil }
    if sign == zero { return bytes.count == 1 ? Decimal() : nil }
    guard sign == negative || sign == positive else { return nil }
    let mask: UInt8 = sign == negative ? 0xFF : 0
    var end = bytes.count
    if sign == negative {
      guard bytes[end - 1] == 0xFF else { return nil }
      end -= 1
    }
    guard (4...23).contains(end) else { return nil }
    let scale = Int(bytes[1] ^ mask) << 8 | Int(bytes[2] ^ mask)
    var mantissa: UInt128 = 0
    for index in 3..<end {
      let pair = bytes[index] ^ mask
      guard (1...100).contains(pair) else { return nil }
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 100)
      let (sum, carry) = product.addingReportingOverflow(UInt128(pair - 1))
      if overflow || carry {
        // With 39 digits, the last pair has only one digit.
        guard index == end - 1, (pair - 1) % 10 == 0 else { return nil }
        return decimal(
          adding: (pair - 1) / 10, to: mantissa, scale: scale, pairs: end - 3, sign: sign)
      }
      mantissa = sum
    }
    var parts = DecimalParts(
      isNegative: sign == negative, exponent: scale - bias - (end - 3) * 2, mantissa: mantissa)
    // An odd number of digits was padded with a zero: 0.1 must be decoded as 0.1, not as 0.10.
    parts.removeTrailingZeros()
    return parts.decimal
  }

  private static func decimal(
    adding digit: UInt8, to mantissa: UInt128, scale: Int, pairs: Int, sign: UInt8
  ) -> Decimal? {
    let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(UInt128(digit))
    guard !overflow, !carry else { return nil }
    return DecimalParts(
      isNegative: sign == negative, exponent: scale - bias - (pairs * 2 - 1), mantissa: sum
    ).decimal
  }
}
