// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Parses the text of a field by the type of its attribute.
enum TypedText {
  /// - Throws: ``BrowserFault/Problem`` as ``BrowserFault`` with 422 for an invalid text.
  static func value(_ text: String, of attribute: AttributeDescription) throws(BrowserFault) -> Any
  {
    if attribute.type == .string { return text }
    guard let value = parsed(text.trimmed, attribute.type) else {
      let message = "\(attribute.name) is \(Self.form(of: attribute.type)), not “\(text)”."
      var fault = BrowserFault(422, message)
      fault.problems = [BrowserFault.Problem(key: attribute.name, message: message)]
      throw fault
    }
    return value
  }

  /// Why the page cannot set an attribute; nil when it can.
  static func obstacle(to attribute: AttributeDescription) -> String? {
    if attribute is DerivedAttributeDescription { return "derived from other values" }
    return switch attribute.type {
    case .transformable: "made of bytes by the program's own code"
    case .composite: "made of several values"
    case .undefined: "without a type"
    default: nil
    }
  }

  private static func form(of type: AttributeType) -> String {
    switch type {
    case .integer16, .integer32, .integer64: "a whole number of \(bits(of: type)) bits"
    case .double, .float, .decimal: "a number in the range of its type"
    case .boolean: "true or false"
    case .date: "a date as 2001-01-31T12:00:00Z"
    case .binaryData: "pairs of the digits 0-9 and a-f"
    case .uuid: "a UUID"
    case .uri: "a URI"
    default: "of type \(type)"
    }
  }

  private static func bits(of type: AttributeType) -> Int {
    switch type {
    case .integer16: 16
    case .integer32: 32
    default: 64
    }
  }

  private static func parsed(_ text: String, _ type: AttributeType) -> Any? {
    switch type {
    case .integer16: Int16(text)
    case .integer32: Int32(text)
    case .integer64: Int64(text)
    case .double: inRange(Double(text), text)
    case .float: inRange(Float(text), text)
    case .decimal: decimal(text)
    case .boolean: ["true": true, "false": false][text.lowercased()]
    case .date: date(text)
    case .binaryData: HexText.data(of: text)
    case .uuid: UUID(uuidString: text)
    case .uri: text.isEmpty ? nil : URL(string: text)
    default: nil
    }
  }

  /// Returns a number unless it is out of the type's range: that would be read as infinity or zero, and saved as
  /// such.
  private static func inRange<Number: BinaryFloatingPoint>(
    _ number: Number?, _ text: String
  ) -> Number? {
    guard let number else { return nil }
    if number.isInfinite { return text.contains(where: \.isNumber) ? nil : number }
    return number == 0 && isMoreThanZero(text) ? nil : number
  }

  /// Whether a text has a digit other than zero before its exponent.
  private static func isMoreThanZero(_ text: String) -> Bool {
    let isHexadecimal = text.lowercased().contains("0x")
    return text.lowercased().prefix { $0 != (isHexadecimal ? "p" : "e") }
      .contains { $0.isHexDigit && $0 != "0" }
  }

  /// Foundation's parser stops at the first character that it does not know.
  private static func decimal(_ text: String) -> Decimal? {
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || ".eE+-".contains($0)) }),
      Double(text) != nil, let number = Decimal(string: text), !number.isNaN,
      number != 0 || !isMoreThanZero(text)
    else { return nil }
    return number
  }

  private static func date(_ text: String) -> Date? {
    let whole = Date.ISO8601FormatStyle()
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return (try? whole.parse(text)) ?? (try? fractional.parse(text))
  }
}
