// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Keys and constants.
extension FormatPrinter {
  /// Writes a key; a keyword, or a key that is not an identifier, is marked with `#`.
  mutating func write(key: String, isFirst: Bool) {
    if key.hasPrefix("@"), FormatWords.isPlain(String(key.dropFirst())) { return write(key) }
    guard FormatWords.isPlain(key) else { return write("#\(Self.quoted(key))") }
    let isKeyword = isFirst && FormatWords.reserved.contains(key.uppercased())
    write(isKeyword ? "#\(key)" : key)
  }

  mutating func write(constant value: Value) {
    switch value {
    case .null: write("nil")
    case .integer(let number): write("\(number)")
    case .boolean(let truth): write(truth ? "1" : "0")
    case .double(let number): write(Self.text(number))
    case .string(let text): write(Self.quoted(text))
    case .uuid(let uuid): write(uuid.uuidString)
    case .date(let date): writeCast(Self.seconds(date.timeIntervalSinceReferenceDate), .date)
    case .decimal(let number): writeCast(Self.quoted(DecimalText.text(number)), .decimal)
    case .data(let data): writeCast(Self.quoted(HexText.text(data)), .data)
    case .uri(let uri): writeCast(Self.quoted(uri.absoluteString), .uri)
    case .objectID(let id): write("<\(id)>")
    case .transformable: write("<transformable>")
    case .list(let members):
      write("{")
      for (index, member) in members.enumerated() {
        if index > 0 { write(", ") }
        write(constant: member)
      }
      write("}")
    case .composite: write("<composite>")
    }
  }

  private mutating func writeCast(_ text: String, _ target: CastTarget) {
    write("CAST(\(text), \"\(target.rawValue)\")")
  }

  /// Returns the shortest digits that parse as the same number.
  private static func text(_ number: Double) -> String {
    number.isInfinite ? "CAST(\"\(number)\", \"\(CastTarget.number.rawValue)\")" : "\(number)"
  }

  /// Returns seconds with six decimals, like Core Data, or with more if needed to parse as the same number.
  private static func seconds(_ number: Double) -> String {
    guard number.magnitude < 1e15 else { return text(number) }
    let fixed = String(format: "%.6f", number)
    return Double(fixed) == number ? fixed : text(number)
  }

  /// Returns a string in double quotes.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        result += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
