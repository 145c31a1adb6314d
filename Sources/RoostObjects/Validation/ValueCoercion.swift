// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Conversions of ``ManagedObject/validateValue(_:forKey:)`` for a value of another type, such as a text entered in a
/// field (B151). Keyed access is strict: there a text for a number is an error.
enum ValueCoercion {
  /// Returns the value converted to an attribute type; nil when that is not possible.
  static func coerced(_ value: Value, to type: AttributeType) -> Value? {
    if let plain = value.coerced(to: type) { return plain }
    switch (value, type) {
    case (.string(let text), _): return parsed(text, as: type)
    case (_, .string): return text(value).map(Value.string)
    case (.boolean(let truth), .integer16), (.boolean(let truth), .integer32),
      (.boolean(let truth), .integer64):
      return .integer(truth ? 1 : 0)
    default: return nil
    }
  }

  private static func parsed(_ text: String, as type: AttributeType) -> Value? {
    let text = text.trimmingCharacters(in: .whitespaces)
    switch type {
    case .integer16, .integer32, .integer64: return Int64(text).map(Value.integer)
    case .double, .float:
      guard let number = Double(text), number.isFinite else { return nil }
      return .double(number)
    case .decimal: return decimal(text).map(Value.decimal)
    case .boolean: return truth(text).map(Value.boolean)
    case .date: return (try? Date(text, strategy: .iso8601)).map(Value.date)
    case .uuid: return UUID(uuidString: text).map(Value.uuid)
    case .uri: return URL(string: text).map(Value.uri)
    default: return nil
    }
  }

  /// Parses a whole text as a decimal: Foundation's parser stops at the first unknown character.
  private static func decimal(_ text: String) -> Decimal? {
    let digits = text.drop { $0 == "-" || $0 == "+" }
    guard text.count - digits.count <= 1, !digits.isEmpty,
      digits.allSatisfy({ $0.isASCII && ($0.isNumber || ".eE+-".contains($0)) }),
      Double(text) != nil
    else { return nil }
    return Decimal(string: text)
  }

  private static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes": true
    case "0", "false", "no": false
    default: nil
    }
  }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .boolean(let truth): truth ? "1" : "0"
    case .decimal(let number): number.description
    case .uuid(let uuid): uuid.uuidString
    case .uri(let url): url.absoluteString
    default: nil
    }
  }
}
