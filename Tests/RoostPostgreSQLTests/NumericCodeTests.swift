// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostPostgreSQL

@Suite("Decimals on the wire")
struct NumericCodeTests {
  static let texts = [
    "0", "1", "-1", "10", "9999", "10000", "10001", "0.1", "-0.25", "0.0001", "0.00001", "1.10",
    "123456789.123456789", "12345678901234567890123456789012345678",
    "0.12345678901234567890123456789012345678", "99999999999999999999999999999999999999",
    "-99999999999999999999999999999999999999e-19", "1e100", "-1e-100", "1234e-127", "7e127",
    "340282366920938463463374607431768211455",
  ]

  @Test("a decimal comes back as it was, to its last digit", arguments: texts)
  func roundTrip(_ text: String) throws {
    let decimal = try #require(Decimal(string: text))
    let buffer = BinaryBuffer()
    NumericCode.append(decimal, to: buffer)
    #expect(NumericCode.decode(buffer.bytes) == .decimal(decimal))
  }

  @Test("what is no number is damaged")
  func damaged() {
    for bytes: [UInt8] in [[], [0, 1], [0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0xC0, 0, 0, 0]] {
      bytes.withUnsafeBytes { #expect(NumericCode.decode($0) == .damaged) }
    }
  }

  @Test("what is larger than a decimal is out of range")
  func outOfRange() {
    let buffer = BinaryBuffer()
    for word: Int16 in [1, 300, 0, 0, 1] { buffer.append(word) }
    #expect(NumericCode.decode(buffer.bytes) == .outOfRange)
  }

  @Test("more digits than a decimal has are rounded")
  func rounded() throws {
    let buffer = BinaryBuffer()
    // 44 digits: 1111 eleven times.
    for word in [11, 10, 0, 0] + [Int16](repeating: 1111, count: 11) { buffer.append(word) }
    guard case .decimal(let decimal) = NumericCode.decode(buffer.bytes) else {
      Issue.record("no decimal")
      return
    }
    #expect("\(decimal)".hasPrefix("11111111111111111111111111111111111111"))
  }

  @Test("what is half way between two decimals becomes the even one (reliability 4)")
  func halves() throws {
    // 39 digits fit; a digit more is the half, and groups behind it make it more than that.
    for (rest, last) in [
      ([1115], "112"), ([1125], "112"), ([1135], "114"), ([1124], "112"), ([1126], "113"),
      ([1125, 0], "112"), ([1125, 1], "113"),
    ] as [([Int16], String)] {
      let buffer = BinaryBuffer()
      let words = [Int16](repeating: 1111, count: 9) + rest
      let head = [Int16(words.count), Int16(words.count - 1), 0, 0]
      for word in head + words { buffer.append(word) }
      let zeros = 1 + 4 * (rest.count - 1)
      let text = String(repeating: "1", count: 36) + last + "e\(zeros)"
      let expected = try #require(Decimal(string: text))
      #expect(NumericCode.decode(buffer.bytes) == .decimal(expected), "\(rest)")
    }
  }
}
