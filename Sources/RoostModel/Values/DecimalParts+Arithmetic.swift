// SPDX-License-Identifier: Apache-2.0

package import Foundation

// Products and conversions to double. Foundation's product ends the process when it is smaller than the smallest
// decimal, and its conversion is off by one unit in the last place for a good part of all amounts of money.
extension DecimalParts {
  /// Returns the product of two decimals, rounded half away from zero to the digits that a decimal holds; 0 for one
  /// that is smaller than the smallest decimal.
  ///
  /// - Returns: nil for a product beyond the largest decimal, and for NaN.
  package static func product(_ left: Decimal, _ right: Decimal) -> Decimal? {
    guard !left.isNaN, !right.isNaN else { return nil }
    let (left, right) = (DecimalParts(left), DecimalParts(right))
    var product = WideProduct(left.mantissa, right.mantissa)
    var exponent = left.exponent + right.exponent
    while product.high != 0 {
      product.dropDigit()
      exponent += 1
    }
    while exponent < leastExponent, !product.isZero {
      product.dropDigit()
      exponent += 1
    }
    guard let mantissa = product.rounded else {
      // Rounding up has carried into one digit more than fits.
      product.dropDigit()
      return DecimalParts(
        isNegative: left.isNegative != right.isNegative, exponent: exponent + 1,
        mantissa: product.low + 1
      ).decimal
    }
    return DecimalParts(
      isNegative: left.isNegative != right.isNegative, exponent: exponent, mantissa: mantissa
    ).decimal
  }

  private static let leastExponent = -128

  /// Returns the exact remainder of the division of two decimals, with the sign of the first one.
  ///
  /// - Returns: nil for a division by 0, and for NaN.
  package static func remainder(_ left: Decimal, _ right: Decimal) -> Decimal? {
    guard !left.isNaN, !right.isNaN, right != 0 else { return nil }
    var rest = DecimalParts(left)
    var divisor = DecimalParts(right)
    while divisor.exponent > rest.exponent {
      // A divisor that does not fit is larger than the number.
      let (product, overflow) = divisor.mantissa.multipliedReportingOverflow(by: 10)
      if overflow { return left }
      divisor = DecimalParts(
        isNegative: false, exponent: divisor.exponent - 1, mantissa: product)
    }
    var mantissa = rest.mantissa % divisor.mantissa
    for _ in 0..<(rest.exponent - divisor.exponent) {
      mantissa = divisor.mantissa.dividingFullWidth(mantissa.multipliedFullWidth(by: 10)).remainder
    }
    rest.mantissa = mantissa
    rest.exponent = divisor.exponent
    return rest.decimal
  }

  /// Returns the double that is nearest to a decimal.
  package static func double(_ decimal: Decimal) -> Double {
    if decimal.isNaN { return .nan }
    var parts = DecimalParts(decimal)
    parts.removeTrailingZeros()
    // A whole number of 53 bits and a power of ten up to 10^22 are exact doubles, and so one operation rounds once.
    if parts.mantissa <= 1 << 53, abs(parts.exponent) < powersOfTen.count {
      let number = Double(UInt64(parts.mantissa))
      let power = powersOfTen[abs(parts.exponent)]
      let result = parts.exponent < 0 ? number / power : number * power
      return parts.isNegative ? -result : result
    }
    let sign = parts.isNegative ? "-" : ""
    return Double("\(sign)\(parts.mantissa)e\(parts.exponent)") ?? .nan
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}

/// A product of 256 bits, whose last decimal digits can be dropped.
private struct WideProduct {
  private(set) var high: UInt128
  private(set) var low: UInt128
  /// The digit dropped last.
  private var dropped: UInt128 = 0

  init(_ left: UInt128, _ right: UInt128) {
    (high, low) = left.multipliedFullWidth(by: right)
  }

  var isZero: Bool { high == 0 && low == 0 && dropped == 0 }

  mutating func dropDigit() {
    let rest: UInt128
    (high, rest) = high.quotientAndRemainder(dividingBy: 10)
    (low, dropped) = UInt128(10).dividingFullWidth((rest, low))
  }

  /// The lower half, rounded by the digit dropped last; nil when that carries out of it.
  var rounded: UInt128? {
    guard dropped >= 5 else { return low }
    let (sum, overflow) = low.addingReportingOverflow(1)
    return overflow ? nil : sum
  }
}
