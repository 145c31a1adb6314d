// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// An exact sum of decimals, which is rounded once at the end: so it does not depend on the order of its values, which
/// stores do not share.
package struct DecimalSum: Sendable {
  /// The sum of the mantissas with one exponent, in two's complement.
  private struct Part {
    let exponent: Int
    var high: Int64 = 0
    var low: UInt128 = 0

    mutating func add(_ mantissa: UInt128, isNegative: Bool) {
      let overflow: Bool
      if isNegative {
        (low, overflow) = low.subtractingReportingOverflow(mantissa)
        if overflow { high -= 1 }
      } else {
        (low, overflow) = low.addingReportingOverflow(mantissa)
        if overflow { high += 1 }
      }
    }

    /// The absolute value.
    var magnitude: (high: UInt64, low: UInt128) {
      guard high < 0 else { return (UInt64(high), low) }
      let (negated, overflow) = (~low).addingReportingOverflow(1)
      return (~UInt64(bitPattern: high) &+ (overflow ? 1 : 0), negated)
    }
  }

  /// Most values have one of a few exponents.
  private var parts: [Part] = []
  private var hasNaN = false

  package init() {}

  /// Adds a decimal.
  package mutating func add(_ decimal: Decimal) {
    guard !decimal.isNaN else {
      hasNaN = true
      return
    }
    let added = DecimalParts(decimal)
    guard added.mantissa != 0 else { return }
    let place = parts.firstIndex { $0.exponent == added.exponent } ?? parts.count
    if place == parts.count { parts.append(Part(exponent: added.exponent)) }
    parts[place].add(added.mantissa, isNegative: added.isNegative)
  }

  /// The sum, rounded half to even to the digits that a decimal holds; nil out of range, or when a value was NaN.
  package var decimal: Decimal? {
    if hasNaN { return nil }
    guard let last = parts.map(\.exponent).min() else { return Decimal() }
    var (positive, negative) = (LongNumber(), LongNumber())
    var exponent: Int?
    for part in parts.sorted(by: { $0.exponent > $1.exponent }) {
      for _ in part.exponent..<(exponent ?? part.exponent) {
        positive.appendDigit()
        negative.appendDigit()
      }
      exponent = part.exponent
      let (high, low) = part.magnitude
      if part.high < 0 { negative.add(high, low) } else { positive.add(high, low) }
    }
    let isNegative = positive.isLess(than: negative)
    if isNegative { swap(&positive, &negative) }
    positive.subtract(negative)
    let (mantissa, dropped) = positive.rounded()
    return DecimalParts(
      isNegative: isNegative, exponent: last + dropped, mantissa: mantissa
    ).decimal
  }
}

/// An unsigned integer of any length.
private struct LongNumber {
  /// The words, the low ones first; the last one is not zero.
  private var words: [UInt64] = []

  var isZero: Bool { words.isEmpty }

  /// Multiplies by ten.
  mutating func appendDigit() {
    var carry: UInt64 = 0
    for index in words.indices {
      let (high, low) = words[index].multipliedFullWidth(by: 10)
      let (sum, overflow) = low.addingReportingOverflow(carry)
      words[index] = sum
      carry = high + (overflow ? 1 : 0)
    }
    if carry != 0 { words.append(carry) }
  }

  mutating func add(_ high: UInt64, _ low: UInt128) {
    var carry = false
    let added = [UInt64(truncatingIfNeeded: low), UInt64(truncatingIfNeeded: low >> 64), high]
    for index in 0..<max(words.count, added.count) {
      if index == words.count { words.append(0) }
      let (sum, first) = words[index].addingReportingOverflow(index < 3 ? added[index] : 0)
      let (total, second) = sum.addingReportingOverflow(carry ? 1 : 0)
      words[index] = total
      carry = first || second
    }
    if carry { words.append(1) }
    trim()
  }

  func isLess(than other: LongNumber) -> Bool {
    guard words.count == other.words.count else { return words.count < other.words.count }
    return words.reversed().lexicographicallyPrecedes(other.words.reversed())
  }

  /// Subtracts a number that is not larger.
  mutating func subtract(_ other: LongNumber) {
    var borrow = false
    for index in words.indices {
      let (difference, first) = words[index].subtractingReportingOverflow(
        index < other.words.count ? other.words[index] : 0)
      let (rest, second) = difference.subtractingReportingOverflow(borrow ? 1 : 0)
      words[index] = rest
      borrow = first || second
    }
    trim()
  }

  /// Returns the number in 128 bits, rounded half to even, and how many decimal digits were dropped for that.
  func rounded() -> (mantissa: UInt128, dropped: Int) {
    var number = self
    var (dropped, digit, isExact) = (0, UInt64(0), true)
    while number.words.count > 2 {
      isExact = isExact && digit == 0
      digit = number.dropDigit()
      dropped += 1
    }
    let low = UInt128(number.words.first ?? 0)
    let mantissa = low | UInt128(number.words.count > 1 ? number.words[1] : 0) << 64
    guard digit > 5 || digit == 5 && !(isExact && mantissa.isMultiple(of: 2)) else {
      return (mantissa, dropped)
    }
    let (sum, overflow) = mantissa.addingReportingOverflow(1)
    // 2^128, which ends in 6, has a digit too many.
    return overflow ? (UInt128.max / 10 + 1, dropped + 1) : (sum, dropped)
  }

  /// Divides by ten, and returns the last digit.
  private mutating func dropDigit() -> UInt64 {
    var rest: UInt64 = 0
    for index in words.indices.reversed() {
      (words[index], rest) = UInt64(10).dividingFullWidth((rest, words[index]))
    }
    trim()
    return rest
  }

  private mutating func trim() {
    while words.last == 0 { words.removeLast() }
  }
}
