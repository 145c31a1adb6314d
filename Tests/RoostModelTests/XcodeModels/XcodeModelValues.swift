// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// What stands in the attributes of Xcode's XML: names of types, defaults and bounds as text.
enum XcodeModelValues {
  private static let types: [String: AttributeType] = [
    "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64,
    "Decimal": .decimal, "Double": .double, "Float": .float, "String": .string,
    "Boolean": .boolean, "Date": .date, "Binary": .binaryData, "UUID": .uuid, "URI": .uri,
    "Transformable": .transformable, "Composite": .composite,
  ]

  static func type(named name: String?) throws -> AttributeType {
    guard let name else { return .undefined }
    guard let type = types[name] else {
      throw PersistenceError(.invalidModel, "“\(name)” is no type of an attribute.")
    }
    return type
  }

  static func setRules(of attribute: AttributeDescription, _ element: ModelElement) {
    let texts = element.attributes
    attribute.valueTransformerName = texts["valueTransformerName"].flatMap { $0.isEmpty ? nil : $0 }
    attribute.attributeValueClassName = texts["customClassName"]
    attribute.allowsExternalBinaryDataStorage = element.isSet("allowsExternalBinaryDataStorage")
    attribute.preservesValueInHistoryOnDeletion = element.isSet("preserveAfterDeletion")
    attribute.allowsCloudEncryption = element.isSet("allowsCloudEncryption")
    if let text = texts["defaultValueString"] {
      attribute.defaultConstant = value(text, type: attribute.type)
    } else if let text = texts["defaultDateTimeInterval"] {
      attribute.defaultConstant = value(text, type: .date)
    }
    if attribute.type == .string {
      attribute.minLength = texts["minValueString"].flatMap(Int.init)
      attribute.maxLength = texts["maxValueString"].flatMap(Int.init)
      attribute.regularExpression = texts["regularExpressionString"]
    } else {
      let minimum = texts["minValueString"] ?? texts["minDateTimeInterval"]
      let maximum = texts["maxValueString"] ?? texts["maxDateTimeInterval"]
      attribute.minValue = minimum.map { value($0, type: attribute.type) }
      attribute.maxValue = maximum.map { value($0, type: attribute.type) }
    }
  }

  private static func value(_ text: String, type: AttributeType) -> Value {
    switch type {
    case .integer16, .integer32, .integer64:
      .integer(Int64(text) ?? (text == "YES" ? 1 : 0))
    case .double, .float: .double(Double(text) ?? 0)
    case .decimal: .decimal(Decimal(string: text) ?? 0)
    case .boolean: .boolean(text == "YES" || text == "1" || text == "true")
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(text) ?? 0))
    case .uuid: UUID(uuidString: text).map(Value.uuid) ?? .null
    case .uri: URL(string: text).map(Value.uri) ?? .null
    case .string: .string(text)
    default: .null
    }
  }
}
