// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostKeyValue

/// Tests of the order of encoded values, with edge cases.
@Suite struct KeyEncodingTests {
  /// Checks that encoded bytes have the order and the equality of the values, ascending and descending.
  func check<Value>(
    _ values: [Value], by order: (Value, Value) -> Int, _ encode: (Value, inout [UInt8]) -> Void
  ) {
    let encoded = values.map { value in
      var bytes: [UInt8] = []
      encode(value, &bytes)
      return bytes
    }
    let complements = encoded.map { $0.map { ~$0 } }
    for left in values.indices {
      for right in values.indices {
        let expected = order(values[left], values[right]).signum()
        let found = compare(encoded[left], encoded[right]).signum()
        #expect(expected == found, "\(values[left]) and \(values[right])")
        let descending = compare(complements[left], complements[right]).signum()
        #expect(expected == -descending, "\(values[left]) and \(values[right]), descending")
        if expected != 0 {
          #expect(!encoded[left].starts(with: encoded[right]), "no code begins with another one")
        }
      }
      #expect(compare([KeyEncoding.null], encoded[left]) < 0, "nil comes first")
    }
  }

  func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { KeyEncoding.compare(left, $0) } }
  }

  @Test("integers of all sizes are ordered as numbers (value contract, Int64 extremes)")
  func integers() throws {
    var random = SeededRandom(seed: 1)
    var values: [Int64] = [0, .min, .max]
    for shift in 0..<63 {
      let power: Int64 = 1 << Int64(shift)
      values += [power, -power, power - 1, -power - 1, power + 1]
    }
    values += (0..<60).map { _ in Int64(bitPattern: random.next()) }
    check(values, by: { $0 < $1 ? -1 : $0 == $1 ? 0 : 1 }) {
      KeyEncoding.appendInteger($0, to: &$1)
    }
    for value in values {
      var bytes: [UInt8] = []
      KeyEncoding.appendInteger(value, to: &bytes)
      let read = try bytes.withUnsafeBytes { try KeyEncoding.integer(in: $0[...]) }
      #expect(read == value && bytes.count <= 9)
    }
  }

  @Test("doubles are ordered as numbers, and the zeros are equal (value contract, -0.0)")
  func doubles() {
    var random = SeededRandom(seed: 2)
    var values: [Double] = [
      0, -0.0, 1, -1, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
      .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0.1, -0.1,
      9_007_199_254_740_992, 9_007_199_254_740_994, 1e-300, .pi,
    ]
    values += (0..<80).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
    check(values, by: { $0 < $1 ? -1 : $0 == $1 ? 0 : 1 }) {
      KeyEncoding.appendDouble($0, to: &$1)
    }
  }

  @Test("strings are ordered by their UTF-8 bytes (value contract, order and NFC)")
  func strings() {
    let values = [
      "", "a", "A", "aa", "ab", "b", "\u{E9}", "e\u{301}", "e", "z", "\u{FFFF}", "\u{10000}",
      "\u{1F600}", "\u{7F}", "\u{1}", "a\u{1}", "a\u{0}", "a\u{0}b", "a\u{0}\u{1}", "\u{0}",
      String(repeating: "x", count: 600), String(repeating: "x", count: 600) + "y", "ß", "ss",
      "\u{F6}", "o\u{308}",
    ]
    check(values, by: { compare(Array($0.utf8), Array($1.utf8)) }) {
      KeyEncoding.appendString($0, to: &$1)
    }
  }

  @Test("bytes with zeros are ordered as bytes")
  func data() {
    var random = SeededRandom(seed: 3)
    let values = (0..<120).map { _ in
      (0..<Int.random(in: 0...5, using: &random)).map { _ in
        [UInt8(0), 1, 254, 255].randomElement(using: &random)!
      }
    }
    check(values, by: compare) { value, bytes in
      value.withUnsafeBytes { KeyEncoding.appendBytes($0, to: &bytes) }
    }
  }

  @Test("decimals are ordered as numbers up to 38 digits, and 1.10 is 1.1 (value contract)")
  func decimals() {
    let texts = [
      "0", "-0", "1", "-1", "1.1", "1.10", "1.11", "1.12", "11", "110", "0.1", "0.01", "-0.01",
      "-0.011", "-0.1", "99", "100", "101", "0.99", "12345678901234567890123456789012345678",
      "12345678901234567890123456789012345679", "-12345678901234567890123456789012345678",
      "0.12345678901234567890123456789012345678", "1e100", "1e101", "-1e100", "1e-100", "1e-101",
      "9e127", "-9e127", "1e-127", "99999999999999999999999999999999999999", "10", "1e2", "-10",
      "123", "1234", "12345",
    ]
    let values = texts.map { Decimal(string: $0)! }
    check(values, by: { $0 < $1 ? -1 : $0 == $1 ? 0 : 1 }) {
      KeyEncoding.appendDecimal($0, to: &$1)
    }
  }

  @Test("tuples are ordered by their first difference, in either direction")
  func tuples() {
    let names = ["", "a", "ab", "b", "a\u{0}"]
    let numbers: [Int64?] = [nil, -300, -1, 0, 1, 255, 256]
    let values = names.flatMap { name in numbers.map { (name, $0) } }
    check(
      values,
      by: { left, right in
        let names = compare(Array(left.0.utf8), Array(right.0.utf8))
        guard names == 0 else { return names }
        // The number is descending.
        return left.1 == right.1 ? 0 : (left.1 ?? .min) < (right.1 ?? .min) ? 1 : -1
      },
      { value, bytes in
        KeyEncoding.appendString(value.0, to: &bytes)
        let start = bytes.count
        if let number = value.1 {
          KeyEncoding.appendInteger(number, to: &bytes)
        } else {
          KeyEncoding.appendNull(to: &bytes)
        }
        KeyEncoding.complement(&bytes, from: start)
      })
  }

  @Test("an index entry that is no integer is refused, not read")
  func damagedIntegers() {
    for bytes: [UInt8] in [[], [0], [0x81], [0x81, 1, 2], [0x77, 1], [0x89], [255]] {
      #expect(throws: PersistenceError(.corruptStore, "")) {
        try bytes.withUnsafeBytes { try KeyEncoding.integer(in: $0[...]) }
      }
    }
  }

  @Test("the first key after a prefix is above all that begin with it")
  func successors() {
    #expect(KeyRange.successor(of: [1, 2]) == [1, 3])
    #expect(KeyRange.successor(of: [1, 255, 255]) == [2])
    #expect(KeyRange.successor(of: [255]) == nil && KeyRange.successor(of: []) == nil)
  }
}
