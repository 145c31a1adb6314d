// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Decimals as text: digits, a point, an exponent; independent of the locale.
enum DecimalText {
  private static let posix = Locale(identifier: "en_US_POSIX")

  static func text(_ number: Decimal) -> String {
    var number = number
    return NSDecimalString(&number, posix)
  }

  /// Parses a whole text as a number; nil when it is not a number or does not fit.
  static func decimal(_ text: String) -> Decimal? {
    let bytes = text.utf8
    guard !bytes.isEmpty,
      bytes.allSatisfy({ byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
      }), Double(text) != nil, let number = Decimal(string: text, locale: posix), !number.isNaN
    else { return nil }
    return number
  }
}

/// Bytes as hexadecimal digits.
enum HexText {
  static func text(_ data: Data) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(data.count * 2)
    let digits = Array("0123456789abcdef".utf8)
    for byte in data {
      result.append(digits[Int(byte >> 4)])
      result.append(digits[Int(byte & 15)])
    }
    return String(decoding: result, as: UTF8.self)
  }

  static func data(_ text: String) -> Data? {
    let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var result = Data(capacity: digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      result.append(UInt8(high << 4 | low))
    }
    return result
  }
}
