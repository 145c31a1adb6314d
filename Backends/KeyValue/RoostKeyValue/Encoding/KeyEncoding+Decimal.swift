// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel

extension KeyEncoding {
  /// Appends a decimal: a sign, the place of the first digit, and the digits in pairs.
  ///
  /// The digits begin with a digit that is not zero and end with one, so equal numbers have equal bytes however they
  /// were written (1.10 is 1.1). A pair of digits is a byte from 1 to 100; a zero byte ends them.
  package static func appendDecimal(_ value: Decimal, to bytes: inout [UInt8]) {
    var parts = DecimalParts(value)
    guard parts.mantissa != 0 else {
      bytes.append(0x80)
      return
    }
    parts.removeTrailingZeros()
    let start = bytes.count
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { digits in
      let count = parts.writeDigits(into: digits)
      bytes.append(0xC0)
      withUnsafeBytes(of: UInt16(bitPattern: Int16(parts.exponent + count) ^ .min).bigEndian) {
        bytes.append(contentsOf: $0)
      }
      for index in stride(from: 0, to: count, by: 2) {
        let ones = index + 1 < count ? digits[index + 1] : 0
        bytes.append(digits[index] * 10 + ones + 1)
      }
      bytes.append(0)
    }
    if parts.isNegative { complement(&bytes, from: start) }
  }
}
