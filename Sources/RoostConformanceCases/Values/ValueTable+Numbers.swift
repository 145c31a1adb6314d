// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostSimulation

extension ValueTable {
  static let integers: [ValueRow] = [
    ValueRow(.integer16, "zero", .integer(0)),
    ValueRow(.integer16, "one", .integer(1)),
    ValueRow(.integer16, "minus-one", .integer(-1)),
    ValueRow(.integer16, "greatest", .integer(32767), .kept, "Int64 extremes"),
    ValueRow(.integer16, "least", .integer(-32768), .kept, "Int64 extremes"),
    ValueRow(.integer16, "too-large", .integer(32768), .refused, "Int64 extremes"),
    ValueRow(.integer16, "too-small", .integer(-32769), .refused, "Int64 extremes"),
    ValueRow(.integer32, "zero", .integer(0)),
    ValueRow(.integer32, "one", .integer(1)),
    ValueRow(.integer32, "minus-one", .integer(-1)),
    ValueRow(.integer32, "greatest", .integer(2_147_483_647), .kept, "Int64 extremes"),
    ValueRow(.integer32, "least", .integer(-2_147_483_648), .kept, "Int64 extremes"),
    ValueRow(.integer32, "too-large", .integer(2_147_483_648), .refused, "Int64 extremes"),
    ValueRow(.integer32, "too-small", .integer(-2_147_483_649), .refused, "Int64 extremes"),
    ValueRow(.integer64, "zero", .integer(0)),
    ValueRow(.integer64, "one", .integer(1)),
    ValueRow(.integer64, "minus-one", .integer(-1)),
    ValueRow(.integer64, "greatest", .integer(.max), .kept, "Int64 extremes"),
    ValueRow(.integer64, "next-to-greatest", .integer(.max - 1), .kept, "Int64 extremes"),
    ValueRow(.integer64, "least", .integer(.min), .kept, "Int64 extremes"),
    ValueRow(.integer64, "next-to-least", .integer(.min + 1), .kept, "Int64 extremes"),
    ValueRow(
      .integer64, "beyond-doubles", .integer(9_007_199_254_740_993), .kept, "int vs double"),
    ValueRow(
      .integer64, "beyond-doubles-below-zero", .integer(-9_007_199_254_740_993), .kept,
      "int vs double"),
    ValueRow(.integer64, "byte-border-127", .integer(127)),
    ValueRow(.integer64, "byte-border-128", .integer(128)),
    ValueRow(.integer64, "byte-border-255", .integer(255)),
    ValueRow(.integer64, "byte-border-256", .integer(256)),
    ValueRow(.integer64, "byte-border-65535", .integer(65535)),
    ValueRow(.integer64, "byte-border-65536", .integer(65536)),
    ValueRow(.integer64, "byte-border-2to47", .integer(1 << 47)),
    ValueRow(.boolean, "true", .boolean(true)),
    ValueRow(.boolean, "false", .boolean(false)),
  ]

  static let doubles: [ValueRow] = [
    ValueRow(.double, "zero", .double(0)),
    ValueRow(.double, "minus-zero", .double(-0.0), .becomes(.double(0)), "-0.0"),
    ValueRow(.double, "one", .double(1)),
    ValueRow(.double, "minus-one", .double(-1)),
    ValueRow(.double, "tenth", .double(0.1), .kept, "±inf, denormals, max"),
    ValueRow(.double, "sum-of-tenths", .double(0.1 + 0.2), .kept, "±inf, denormals, max"),
    ValueRow(.double, "pi", .double(.pi)),
    ValueRow(.double, "third", .double(1.0 / 3)),
    ValueRow(.double, "greatest", .double(.greatestFiniteMagnitude), .kept, "±inf, denormals, max"),
    ValueRow(
      .double, "least", .double(-Double.greatestFiniteMagnitude), .kept, "±inf, denormals, max"),
    ValueRow(
      .double, "least-normal", .double(.leastNormalMagnitude), .kept, "±inf, denormals, max"),
    ValueRow(
      .double, "denormal", .double(.leastNonzeroMagnitude), .kept, "±inf, denormals, max"),
    ValueRow(
      .double, "minus-denormal", .double(-Double.leastNonzeroMagnitude), .kept,
      "±inf, denormals, max"),
    ValueRow(
      .double, "large-denormal", .double(Double.leastNormalMagnitude.nextDown), .kept,
      "±inf, denormals, max"),
    ValueRow(.double, "infinity", .double(.infinity), .kept, "±inf, denormals, max"),
    ValueRow(.double, "minus-infinity", .double(-.infinity), .kept, "±inf, denormals, max"),
    ValueRow(.double, "nan", .double(.nan), .refused, "NaN"),
    ValueRow(.double, "minus-nan", .double(-Double.nan), .refused, "NaN"),
    ValueRow(.double, "signalling-nan", .double(.signalingNaN), .refused, "NaN"),
    ValueRow(
      .double, "nan-payload", .double(Double(nan: 7, signaling: false)), .refused, "NaN"),
    ValueRow(.double, "ulp-above-one", .double(1.0.nextUp)),
    ValueRow(.double, "ulp-below-one", .double(1.0.nextDown)),
    ValueRow(.double, "integral-2to53", .double(9_007_199_254_740_992), .kept, "int vs double"),
    ValueRow(.double, "integral-2to63", .double(0x1p63), .kept, "int vs double"),
    ValueRow(.double, "integral-minus-2to63", .double(-0x1p63), .kept, "int vs double"),
    ValueRow(.double, "tiny", .double(1e-300)),
    ValueRow(.double, "huge", .double(1e300)),
  ]

  static let floats: [ValueRow] = [
    ValueRow(.float, "zero", .double(0)),
    ValueRow(.float, "minus-zero", .double(-0.0), .becomes(.double(0)), "-0.0"),
    ValueRow(.float, "tenth", .double(Double(Float(0.1))), .kept, "±inf, denormals, max"),
    ValueRow(
      .float, "greatest", .double(Double(Float.greatestFiniteMagnitude)), .kept,
      "±inf, denormals, max"),
    ValueRow(
      .float, "denormal", .double(Double(Float.leastNonzeroMagnitude)), .kept,
      "±inf, denormals, max"),
    ValueRow(.float, "infinity", .double(.infinity), .kept, "±inf, denormals, max"),
    ValueRow(.float, "minus-infinity", .double(-.infinity), .kept, "±inf, denormals, max"),
    ValueRow(.float, "nan", .double(.nan), .refused, "NaN"),
    ValueRow(.float, "pi", .double(Double(Float.pi))),
  ]

  static let decimals: [ValueRow] = [
    decimal("zero", "0"), decimal("one", "1"), decimal("minus-one", "-1"),
    decimal("tenth", "0.1"), decimal("third", "0.33333333333333333333333333333333333333"),
    decimal("trailing-zero", "1.10"), decimal("cents", "19.99"),
    decimal("digits-38", "12345678901234567890123456789012345678"),
    decimal("digits-38-below-zero", "-12345678901234567890123456789012345678"),
    decimal("digits-38-fraction", "0.12345678901234567890123456789012345678"),
    decimal("digits-38-middle", "1234567890123456789.0123456789012345678"),
    decimal("nines-38", "99999999999999999999999999999999999999"),
    decimal("large-exponent", "1e100"), decimal("small-exponent", "1e-100"),
    decimal("greatest-exponent", "1e127"), decimal("least-exponent", "1e-127"),
    decimal("beyond-doubles", "9007199254740993"), decimal("beyond-integers", "1e20"),
    decimal("money", "-0.01"), decimal("large-fraction", "123456789.987654321"),
    decimal("powers-of-ten", "1000000"), decimal("small-then-large", "1000000.000001"),
    ValueRow(.decimal, "nan", .decimal(.nan), .refused, "NaN"),
    rounded(
      "four-thirds", "1.33333333333333333333333333333333333333",
      "1.3333333333333333333333333333333333333"),
    rounded(
      "seven-sixths", "-1.16666666666666666666666666666666666667",
      "-1.1666666666666666666666666666666666667"),
    rounded(
      "half-to-even-below", "100000000000000000000000000000000000005",
      "100000000000000000000000000000000000000"),
    rounded(
      "half-to-even-above", "-100000000000000000000000000000000000015",
      "-100000000000000000000000000000000000020"),
    rounded(
      "carry", "299999999999999999999999999999999999996",
      "300000000000000000000000000000000000000"),
    rounded(
      "greatest-mantissa", "340282366920938463463374607431768211455",
      "340282366920938463463374607431768211460"),
  ]

  /// A decimal of 39 digits; stores keep 38 of them.
  private static func rounded(_ name: String, _ text: String, _ kept: String) -> ValueRow {
    ValueRow(
      .decimal, name, .decimal(Decimal(string: text) ?? .nan),
      .becomes(.decimal(Decimal(string: kept) ?? .nan)), "Decimal 38 digits")
  }

  private static func decimal(_ name: String, _ text: String) -> ValueRow {
    ValueRow(
      .decimal, name, .decimal(Decimal(string: text) ?? .nan), .kept, "Decimal 38 digits")
  }
}
