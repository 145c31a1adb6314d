// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Numbers, strings and UUIDs.
extension FormatLexer {
  /// Scans a UUID without quotes, as the printer writes it.
  mutating func scanUUID() -> UUID? {
    guard position + 36 <= bytes.count, isHexDigit(bytes[position]) else { return nil }
    for index in 0..<36 {
      let byte = bytes[position + index]
      let isDash = index == 8 || index == 13 || index == 18 || index == 23
      guard isDash ? byte == UInt8(ascii: "-") : isHexDigit(byte) else { return nil }
    }
    if let next = byte(at: position + 36), isHexDigit(next) || next == UInt8(ascii: "-") {
      return nil
    }
    let text = String(decoding: bytes[position..<position + 36], as: UTF8.self)
    guard let uuid = UUID(uuidString: text) else { return nil }
    position += 36
    return uuid
  }

  private func isHexDigit(_ byte: UInt8) -> Bool {
    Character(Unicode.Scalar(byte)).isHexDigit && byte < 0x80
  }

  mutating func scanNumber() throws -> FormatToken.Kind {
    let start = position
    let kind = try scanRadixNumber() ?? scanDecimalNumber(from: start)
    let end = position
    if scanWord() != nil {
      throw failure("letters follow a number", at: end)
    }
    return kind
  }

  private mutating func scanRadixNumber() throws -> FormatToken.Kind? {
    guard bytes[position] == UInt8(ascii: "0") else { return nil }
    let radix: Int
    switch byte(at: position + 1) {
    case UInt8(ascii: "x"), UInt8(ascii: "X"): radix = 16
    case UInt8(ascii: "o"), UInt8(ascii: "O"): radix = 8
    case UInt8(ascii: "b"), UInt8(ascii: "B"): radix = 2
    default: return nil
    }
    let start = position
    position += 2
    var value: UInt64 = 0
    var digits = 0
    while let byte = byte(at: position),
      let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix
    {
      let (product, overflow) = value.multipliedReportingOverflow(by: UInt64(radix))
      guard !overflow else { throw failure("the number is too large", at: start) }
      value = product + UInt64(digit)
      digits += 1
      position += 1
    }
    guard digits > 0 else { throw failure("digits are expected", at: position) }
    // Bit masks may use all 64 bits.
    return .integer(Int64(bitPattern: value))
  }

  private mutating func scanDecimalNumber(from start: Int) throws -> FormatToken.Kind {
    var isDouble = false
    skipDigits()
    if byte(at: position) == UInt8(ascii: "."), isDigit(byte(at: position + 1)) {
      isDouble = true
      position += 1
      skipDigits()
    }
    if let letter = byte(at: position), letter | 0x20 == UInt8(ascii: "e") {
      let next = byte(at: position + 1)
      let hasSign = next == UInt8(ascii: "+") || next == UInt8(ascii: "-")
      if isDigit(byte(at: position + (hasSign ? 2 : 1))) {
        isDouble = true
        position += hasSign ? 2 : 1
        skipDigits()
      }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if !isDouble {
      if let value = Int64(text) { return .integer(value) }
      if UInt64(text) == 1 << 63 { return .smallestInteger }
      throw failure("the number is too large for an integer; write it with '.0'", at: start)
    }
    guard let value = Double(text), value.isFinite else {
      throw failure("the number is too large", at: start)
    }
    return .double(value)
  }

  private mutating func skipDigits() {
    while isDigit(byte(at: position)) { position += 1 }
  }
}

// MARK: - Strings

extension FormatLexer {
  mutating func scanString() throws -> String {
    let start = position
    let quote = bytes[position]
    position += 1
    var result: [UInt8] = []
    while let byte = byte(at: position) {
      position += 1
      if byte == quote { return String(decoding: result, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        let scalar = try scanEscape()
        guard scalar != "\0" else {
          throw failure("a string cannot contain the character NUL", at: position)
        }
        result.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
      } else if byte == 0 {
        throw failure("a string cannot contain the character NUL", at: position - 1)
      } else {
        result.append(byte)
      }
    }
    throw failure("the string has no end", at: start)
  }

  private mutating func scanEscape() throws -> Unicode.Scalar {
    let start = position - 1
    guard let letter = byte(at: position) else {
      throw failure("the string has no end", at: start)
    }
    position += 1
    switch letter {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "x"): return try checked(scanDigits(2, radix: 16), at: start)
    case UInt8(ascii: "u"): return try scanUTF16Escape(at: start)
    case UInt8(ascii: "U"): return try checked(scanDigits(8, radix: 16), at: start)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      position -= 1
      return try checked(scanOctalDigits(), at: start)
    case 0x80...:
      throw failure("only ASCII characters are written with '\\'", at: start)
    default: return Unicode.Scalar(letter)
    }
  }

  /// Scans a UTF-16 escape; a surrogate pair of two escapes is one character.
  private mutating func scanUTF16Escape(at start: Int) throws -> Unicode.Scalar {
    let first = try scanDigits(4, radix: 16)
    guard (0xD800..<0xDC00).contains(first) else { return try checked(first, at: start) }
    guard byte(at: position) == UInt8(ascii: "\\"), byte(at: position + 1) == UInt8(ascii: "u")
    else { throw failure("half a surrogate pair is no character", at: start) }
    position += 2
    let second = try scanDigits(4, radix: 16)
    guard (0xDC00..<0xE000).contains(second) else {
      throw failure("half a surrogate pair is no character", at: start)
    }
    return try checked(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00), at: start)
  }

  private mutating func scanDigits(_ count: Int, radix: UInt32) throws -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let byte = byte(at: position), byte < 0x80,
        let digit = Character(Unicode.Scalar(byte)).hexDigitValue
      else { throw failure("\(count) hexadecimal digits are expected", at: position) }
      value = value &* radix &+ UInt32(digit)
      position += 1
    }
    return value
  }

  private mutating func scanOctalDigits() -> UInt32 {
    var value: UInt32 = 0
    var count = 0
    while count < 3, let byte = byte(at: position), byte >= UInt8(ascii: "0"),
      byte <= UInt8(ascii: "7")
    {
      value = value * 8 + UInt32(byte - UInt8(ascii: "0"))
      position += 1
      count += 1
    }
    return value
  }

  private func checked(_ value: UInt32, at offset: Int) throws -> Unicode.Scalar {
    guard let scalar = Unicode.Scalar(value) else {
      throw failure("the number is no Unicode character", at: offset)
    }
    return scalar
  }
}
