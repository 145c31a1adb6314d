// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Products of decimals, and their doubles")
struct DecimalArithmeticTests {
  private func decimal(_ generator: inout SystemRandomNumberGenerator, exponents: Range<Int>)
    -> Decimal
  {
    let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in
      "\(Int.random(in: 0...9, using: &generator))"
    }
    let exponent = Int.random(in: exponents, using: &generator)
    let sign = Bool.random(using: &generator) ? "-" : ""
    return Decimal(string: "\(sign)\(digits.joined())e\(exponent)") ?? 1
  }

  @Test("a product is Foundation's, but for the last digit, wherever Foundation has one")
  func asFoundation() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var left = decimal(&generator, exponents: -20..<20)
      var right = decimal(&generator, exponents: -20..<20)
      var wanted = Decimal()
      #expect(NSDecimalMultiply(&wanted, &left, &right, .plain).rawValue <= 1)
      let product = try #require(DecimalParts.product(left, right), "\(left) \(right)")
      let parts = DecimalParts(wanted)
      let unit = Decimal(sign: .plus, exponent: parts.exponent, significand: 1)
      #expect(abs(product - wanted) <= unit, "\(left) * \(right)")
    }
  }

  @Test("no product of decimals ends the process")
  func anyExponents() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let left = decimal(&generator, exponents: -128..<90)
      let right = decimal(&generator, exponents: -128..<90)
      guard let product = DecimalParts.product(left, right) else { continue }
      let (wanted, got) = (
        DecimalParts.double(left) * DecimalParts.double(right), DecimalParts.double(product)
      )
      #expect(abs(wanted - got) <= max(abs(wanted) * 1e-14, 1e-128), "\(left) * \(right)")
    }
  }

  @Test(
    "a product is rounded half away from zero",
    arguments: [
      ("1e-65", "1e-65", "0"), ("1e-100", "4e-29", "0"), ("1e-100", "5e-29", "1e-128"),
      ("-1e-100", "5e-29", "-1e-128"), ("15e-100", "1e-29", "2e-128"), ("0", "1e127", "0"),
      (
        "340282366920938463463374607431768211455", "10", "340282366920938463463374607431768211455e1"
      ),
      ("340282366920938463463374607431768211455", "1", "340282366920938463463374607431768211455"),
      ("1.10", "-2.5", "-2.75"), ("1e100", "1e20", "1e120"),
    ])
  func rounded(_ left: String, _ right: String, _ wanted: String) throws {
    let product = DecimalParts.product(
      try #require(Decimal(string: left)), try #require(Decimal(string: right)))
    #expect(product == Decimal(string: wanted))
  }

  @Test("there is no product beyond the largest decimal, and none of NaN")
  func noProduct() throws {
    #expect(
      DecimalParts.product(
        try #require(Decimal(string: "1e100")),
        try #require(Decimal(string: "1e100"))) == nil)
    #expect(DecimalParts.product(.nan, 1) == nil && DecimalParts.product(1, .nan) == nil)
  }

  @Test(
    "a remainder is exact, smaller than the divisor, and has the sign of the number",
    arguments: [
      ("7", "3", "1"), ("-7", "3", "-1"), ("7", "-3", "1"), ("7.5", "0.2", "0.1"),
      ("1e-100", "3e100", "1e-100"), ("1e100", "3e-20", "1e-20"), ("6", "3", "0"),
      ("340282366920938463463374607431768211455e100", "7", "5"),
    ])
  func remainders(_ left: String, _ right: String, _ wanted: String) throws {
    let remainder = DecimalParts.remainder(
      try #require(Decimal(string: left)), try #require(Decimal(string: right)))
    #expect(remainder == Decimal(string: wanted))
  }

  @Test("there is no remainder of a division by 0, and none of NaN")
  func noRemainder() {
    #expect(DecimalParts.remainder(1, 0) == nil)
    #expect(DecimalParts.remainder(.nan, 1) == nil && DecimalParts.remainder(1, .nan) == nil)
  }

  @Test("a sum whose rounding carries has one digit less")
  func carriedSum() throws {
    var sum = DecimalSum()
    sum.add(try #require(Decimal(string: "340282366920938463463374607431768211455e1")))
    sum.add(5)
    #expect(sum.decimal == Decimal(string: "34028236692093846346337460743176821146e2"))
  }

  @Test("a sum is exact, whatever the order of its values")
  func sums() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var values = (0..<30).map { _ in decimal(&generator, exponents: -128..<90) }
      let rest = decimal(&generator, exponents: -128..<90)
      values += values.map { -$0 } + [rest]
      values.shuffle(using: &generator)
      var sum = DecimalSum()
      for value in values { sum.add(value) }
      #expect(sum.decimal == rest)
    }
  }

  @Test(
    "a sum is rounded once, half to even",
    arguments: [
      (["99999999999999999999999999999999999999", "0.4", "0.4"], "1e38"),
      (
        [
          "99999999999999999999999999999999999999", "0.5",
          "-99999999999999999999999999999999999999",
        ], "0.5"
      ),
      (
        ["340282366920938463463374607431768211450", "0.5"],
        "340282366920938463463374607431768211450"
      ),
      (
        ["340282366920938463463374607431768211451", "0.5"],
        "340282366920938463463374607431768211452"
      ),
      (
        ["-340282366920938463463374607431768211450", "-0.50001"],
        "-340282366920938463463374607431768211451"
      ),
      (["1e100", "1e-100", "-1e100"], "1e-100"), (["0.1", "0.2", "-0.3"], "0"), ([], "0"),
      (["-1", "1e30"], "999999999999999999999999999999"),
    ])
  func roundedSum(_ values: [String], _ wanted: String) throws {
    var sum = DecimalSum()
    for value in values { sum.add(try #require(Decimal(string: value))) }
    #expect(sum.decimal == Decimal(string: wanted))
  }

  @Test("a sum of many large decimals is one, and none beyond the largest")
  func largeSum() throws {
    var sum = DecimalSum()
    let large = try #require(Decimal(string: "340282366920938463463374607431768211455"))
    for _ in 0..<1000 { sum.add(large) }
    #expect(sum.decimal == Decimal(string: "340282366920938463463374607431768211455e3"))
    var tooLarge = DecimalSum()
    let largest = try #require(Decimal(string: "340282366920938463463374607431768211455e127"))
    tooLarge.add(largest)
    #expect(tooLarge.decimal == largest)
    tooLarge.add(largest)
    #expect(tooLarge.decimal == nil)
    var none = DecimalSum()
    none.add(.nan)
    #expect(none.decimal == nil)
  }

  @Test("a decimal's double is the nearest one")
  func doubles() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let number = decimal(&generator, exponents: -128..<90)
      let cents = Decimal(Int.random(in: 0...100_000_000, using: &generator)) / 100
      for decimal in [number, cents] {
        let text = "\(DecimalParts(decimal).mantissa)e\(DecimalParts(decimal).exponent)"
        let wanted = try #require(Double((decimal < 0 ? "-" : "") + text))
        #expect(DecimalParts.double(decimal).bitPattern == wanted.bitPattern, "\(decimal)")
      }
    }
    #expect(DecimalParts.double(0).bitPattern == 0)
    #expect(DecimalParts.double(.nan).isNaN)
  }
}
