// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Names and values in Swift.
enum SwiftText {
  static func quoted(_ text: String) -> String {
    var result = "\""
    for character in text {
      switch character {
      case "\"", "\\": result += "\\\(character)"
      case "\n", "\r", "\r\n": result += "\\n"
      default: result.append(character)
      }
    }
    return result + "\""
  }

  /// A name that begins with a capital letter.
  static func type(_ name: String) -> String {
    let letters = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" }
    let word = letters.first?.isNumber == true || letters.isEmpty ? "Entity" + letters : letters
    return word.prefix(1).uppercased() + word.dropFirst()
  }

  /// A name that begins with a small letter, and is no word of the language.
  static func variable(_ name: String) -> String {
    let type = type(name)
    return type.prefix(1).lowercased() + type.dropFirst() + "Mapping"
  }

  /// Returns a sample value of a type; nil where only the program knows one.
  static func sample(of type: AttributeType) -> String? {
    switch type {
    case .string: "\"text\""
    case .integer16, .integer32, .integer64: "1"
    case .double, .float: "1.5"
    case .decimal: "Decimal(1)"
    case .boolean: "true"
    case .date: "Date(timeIntervalSinceReferenceDate: 0)"
    case .uuid: "UUID()"
    case .binaryData: "Data([1])"
    case .uri: "URL(string: \"https://example.org\")"
    default: nil
    }
  }
}
