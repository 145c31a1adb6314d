// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the XML of one attribute: its type, its default and its rules.
struct XcodeModelValues {
  let text: ModelText
  let element: ModelElement
  /// Receives notes about ignored values.
  let model: ManagedObjectModel

  static let types: [String: AttributeType] = [
    "Undefined": .undefined, "Integer 16": .integer16, "Integer 32": .integer32,
    "Integer 64": .integer64, "Decimal": .decimal, "Double": .double, "Float": .float,
    "String": .string, "Boolean": .boolean, "Date": .date, "Binary": .binaryData, "UUID": .uuid,
    "URI": .uri, "Transformable": .transformable, "Composite": .composite,
  ]

  func type() throws(PersistenceError) -> AttributeType {
    guard let name = element.attributes["attributeType"] else { return .undefined }
    guard let type = Self.types[name] else {
      throw error("“\(name)” is no type of an attribute.")
    }
    return type
  }

  /// Sets the default, the bounds and the flags of an attribute.
  func setRules(of attribute: AttributeDescription) throws(PersistenceError) {
    attribute.valueTransformerName = element.value("valueTransformerName")
    attribute.attributeValueClassName = element.value("customClassName")
    attribute.allowsExternalBinaryDataStorage = element.isSet("allowsExternalBinaryDataStorage")
    attribute.preservesValueInHistoryOnDeletion = element.isSet("preserveAfterDeletion")
    attribute.allowsCloudEncryption = element.isSet("allowsCloudEncryption")
    let type = attribute.type
    if let value = try value("defaultValueString", or: "defaultDateTimeInterval", type) {
      attribute.defaultConstant = value
    }
    if type == .string {
      attribute.minLength = try length("minValueString")
      attribute.maxLength = try length("maxValueString")
      attribute.regularExpression = element.value("regularExpressionString")
    } else {
      attribute.minValue = try value("minValueString", or: "minDateTimeInterval", type)
      attribute.maxValue = try value("maxValueString", or: "maxDateTimeInterval", type)
    }
  }

  private func length(_ name: String) throws(PersistenceError) -> Int? {
    guard let text = element.value(name) else { return nil }
    guard let number = Int(text) else { throw error("“\(name)” is no number: “\(text)”.") }
    return number
  }

  /// Returns a value. Dates have a key of their own, which takes precedence: under the other key Xcode leaves the
  /// date as entered, in the author's language.
  private func value(
    _ name: String, or dateName: String, _ type: AttributeType
  ) throws(PersistenceError) -> Value? {
    guard type == .date, element.value(dateName) != nil else { return try value(name, type) }
    if let text = element.value(name), Self.parse(text, .date) == nil {
      note("“\(name)” is no date (“\(text)”): “\(dateName)” is taken.")
    }
    return try value(dateName, .date)
  }

  /// Returns the value of an XML attribute as a type; nil when it is missing, or for types without a text form.
  private func value(
    _ name: String, _ type: AttributeType
  ) throws(PersistenceError) -> Value? {
    guard let text = element.attributes[name] else { return nil }
    if type == .string { return .string(text) }
    // Xcode leaves an empty text for a removed default.
    if text.isEmpty { return nil }
    switch type {
    case .binaryData, .transformable, .undefined, .composite: return nil
    default: break
    }
    guard let value = Self.parse(text, type) else {
      // Xcode's editor keeps any text typed as the default of a UUID, and ignores it.
      if type == .uuid {
        note("“\(name)” is no UUID (“\(text)”): it is left out.")
        return nil
      }
      throw error("“\(name)” is no \(type): “\(text)”.")
    }
    return value
  }

  private static func parse(_ text: String, _ type: AttributeType) -> Value? {
    switch type {
    case .integer16, .integer32, .integer64: integer(text).map(Value.integer)
    case .double, .float: number(text).map(Value.double)
    case .decimal: decimal(text).map(Value.decimal)
    case .boolean: boolean(text).map(Value.boolean)
    case .date:
      number(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid: UUID(uuidString: text).map(Value.uuid)
    case .uri: URL(string: text).map(Value.uri)
    default: nil
    }
  }

  /// Parses an integer. After a change of type, Xcode may also write `NO` or `0.0`.
  private static func integer(_ text: String) -> Int64? {
    if let number = Int64(text) { return number }
    if let truth = truth(text) { return truth ? 1 : 0 }
    return number(text).flatMap { Int64(exactly: $0) }
  }

  /// Parses a Boolean. Xcode writes `YES` and `NO`, after a change of type also a number.
  private static func boolean(_ text: String) -> Bool? {
    if let truth = truth(text) { return truth }
    guard let number = number(text), number == 0 || number == 1 else { return nil }
    return number == 1
  }

  private static func number(_ text: String) -> Double? {
    if let truth = truth(text) { return truth ? 1 : 0 }
    guard isNumber(text), let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// Parses a decimal. Foundation accepts a text with a valid prefix, so the whole text is checked as a double first.
  private static func decimal(_ text: String) -> Decimal? {
    if let truth = truth(text) { return truth ? 1 : 0 }
    guard number(text) != nil, let decimal = Decimal(string: text, locale: posix), !decimal.isNaN
    else { return nil }
    return decimal
  }

  private static func truth(_ text: String) -> Bool? {
    switch text {
    case "YES", "true", "1": true
    case "NO", "false", "0": false
    default: nil
    }
  }

  /// Whether the whole text consists of the characters of a number.
  private static func isNumber(_ text: String) -> Bool {
    text.utf8.contains { (48...57).contains($0) }
      && text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
  }

  private static let posix = Locale(identifier: "en_US_POSIX")

  private func note(_ message: String) {
    model.readingNotes.append(
      text.error(message, at: element.offset, key: element.attributes["name"]).message)
  }

  private func error(_ message: String) -> PersistenceError {
    text.error(message, at: element.offset, key: element.attributes["name"])
  }
}
