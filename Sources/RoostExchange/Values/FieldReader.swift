// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Converts the contents of files to values.
struct FieldReader {
  /// Whether all input values are strings, as in CSV.
  let readsTexts: Bool

  /// Returns the value of an attribute in its stored form; a composite has only the elements that are given.
  func value(
    _ node: JSONNode, of attribute: AttributeDescription
  ) throws(ExchangeFault) -> Value {
    let value = try raw(node, attribute)
    do throws(PersistenceError) {
      return try ValueCheck.check(value, for: attribute)
    } catch {
      throw ExchangeFault(
        "“\(attribute.name)”: \(error.message)", code: error.code, key: error.key, value: value)
    }
  }

  private func raw(
    _ node: JSONNode, _ attribute: AttributeDescription
  ) throws(ExchangeFault) -> Value {
    if node.isNull { return .null }
    if let composite = attribute as? CompositeAttributeDescription {
      return try elements(node, composite)
    }
    guard let value = try value(node, attribute.type) else {
      throw ExchangeFault(
        "“\(attribute.name)” is of type \(attribute.type), which \(node.kind) does not give.",
        key: attribute.name, value: Self.shown(node),
        remedy: attribute.type == .date
          ? "Write dates as 2024-01-02 or 2024-01-02T15:04:05Z, or as seconds since 2001 with a point."
          : nil)
    }
    return value
  }

  private func elements(
    _ node: JSONNode, _ composite: CompositeAttributeDescription
  ) throws(ExchangeFault) -> Value {
    guard case .object(let members) = node else {
      throw ExchangeFault(
        "“\(composite.name)” has elements, which \(node.kind) does not give.", key: composite.name)
    }
    var values: [String: Value] = [:]
    for member in members {
      let known = composite.elements.first { $0.name == member.name }
      guard let element = known as? AttributeDescription else {
        throw ExchangeFault(
          "“\(composite.name)” has no element “\(member.name)”.", code: .unknownKey,
          key: "\(composite.name).\(member.name)")
      }
      values[member.name] = try raw(member.node, element)
    }
    return .composite(values)
  }

  /// Merges a new value with the known one: composite elements that are not given stay. Only nil clears all.
  static func merged(
    _ value: Value, over known: Value, _ attribute: AttributeDescription
  ) -> Value {
    guard let composite = attribute as? CompositeAttributeDescription,
      case .composite(let given) = value
    else { return filled(value, attribute) }
    var before: [String: Value] = [:]
    if case .composite(let elements) = known { before = elements }
    var result: [String: Value] = [:]
    for case let element as AttributeDescription in composite.elements {
      let known = before[element.name] ?? .null
      result[element.name] =
        given[element.name].map { merged($0, over: known, element) } ?? filled(known, element)
    }
    return .composite(result)
  }

  /// Returns a composite with all of its elements, so that a partially given one can be compared with the stored
  /// value.
  static func filled(_ value: Value, _ attribute: AttributeDescription) -> Value {
    guard let composite = attribute as? CompositeAttributeDescription else { return value }
    var given: [String: Value] = [:]
    if case .composite(let elements) = value { given = elements }
    var result: [String: Value] = [:]
    for case let element as AttributeDescription in composite.elements {
      result[element.name] = filled(given[element.name] ?? .null, element)
    }
    return .composite(result)
  }

  /// Returns the refused value, for the error.
  private static func shown(_ node: JSONNode) -> Value? {
    switch node {
    case .number(let text), .text(let text): .string(text)
    default: nil
    }
  }
}

// MARK: - Types

extension FieldReader {
  /// Returns the value; nil for one that does not have the type.
  private func value(_ node: JSONNode, _ type: AttributeType) throws(ExchangeFault) -> Value? {
    switch (node, type) {
    case (.boolean(let truth), .boolean): return .boolean(truth)
    case (.number(let text), _): return Self.number(text, type)
    case (.text(let text), _):
      if let value = Self.value(text, type) { return value }
      // 20240102 is a day in another notation, not a number of seconds.
      if type == .date, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) { return nil }
      return readsTexts ? Self.number(text, type) : nil
    default: return nil
    }
  }

  /// Parses a value that JSON represents as a string.
  private static func value(_ text: String, _ type: AttributeType) -> Value? {
    switch type {
    case .string: .string(text)
    case .date:
      (DateText.date(text) ?? infinite(text).map(Date.init(timeIntervalSinceReferenceDate:)))
        .map(Value.date)
    case .binaryData: Data(base64Encoded: text).map(Value.data)
    case .uuid: UUID(uuidString: text).map(Value.uuid)
    case .uri: URL(string: text).map(Value.uri)
    case .decimal: decimal(text).map(Value.decimal)
    case .double, .float: infinite(text).map(Value.double)
    case .transformable:
      Data(base64Encoded: text).map { .transformable(TransformableValue(object: nil, encoded: $0)) }
    default: nil
    }
  }

  private static func infinite(_ text: String) -> Double? {
    text == "inf" || text == "-inf" ? Double(text) : nil
  }

  /// Parses a value that JSON represents as a number.
  private static func number(_ text: String, _ type: AttributeType) -> Value? {
    switch type {
    case .integer16, .integer32, .integer64:
      return Int64(text).map(Value.integer)
    case .double, .float:
      // A number that is too large would become infinite.
      guard let number = Double(text), number.isFinite else { return nil }
      return .double(number)
    case .decimal: return decimal(text).map(Value.decimal)
    case .date:
      guard let seconds = Double(text), seconds.isFinite else { return nil }
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .boolean:
      switch text.lowercased() {
      case "1", "true": return .boolean(true)
      case "0", "false": return .boolean(false)
      default: return nil
      }
    default: return nil
    }
  }

  /// Parses a decimal of at most 38 digits.
  static func decimal(_ text: String) -> Decimal? {
    var parts = DecimalParts(isNegative: false, exponent: 0, mantissa: 0)
    var rest = Substring(text)
    if rest.hasPrefix("-") || rest.hasPrefix("+") {
      parts.isNegative = rest.removeFirst() == "-"
    }
    if let place = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      guard let exponent = Int(rest[rest.index(after: place)...]),
        (-999...999).contains(exponent)
      else { return nil }
      parts.exponent = exponent
      rest = rest[..<place]
    }
    var digits = 0
    var isFraction = false
    for byte in rest.utf8 {
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
        continue
      }
      guard byte &- 0x30 < 10 else { return nil }
      digits += 1
      let (product, overflow) = parts.mantissa.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) = product.addingReportingOverflow(UInt128(byte - 0x30))
      if overflow || isTooLarge {
        // Trailing zeros beyond the digits that fit only change the exponent.
        guard byte == 0x30 else { return nil }
        parts.exponent += isFraction ? 0 : 1
      } else {
        parts.mantissa = sum
        parts.exponent -= isFraction ? 1 : 0
      }
    }
    guard digits > 0 else { return nil }
    return parts.decimal
  }
}
