// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Exact encoding of default values in the text of a model: an object with a single member named after the kind.
enum ValueText {
  /// Returns the default value of an attribute; nil when it has none, or one that cannot be encoded.
  static func defaultNode(of attribute: AttributeDescription) -> TextNode? {
    if attribute.takesAnyDefault, attribute.defaultObject != nil {
      guard case .transformable(let value) = attribute.initialValue else { return nil }
      return node(of: .transformable(value))
    }
    return node(of: attribute.defaultConstant, for: attribute)
  }

  /// Returns the node of a value in its stored form, so that equal defaults are written alike.
  private static func node(of value: Value, for attribute: AttributeDescription) -> TextNode? {
    if let composite = attribute as? CompositeAttributeDescription,
      case .composite(let elements) = value
    {
      let attributes = Dictionary(
        composite.elements.compactMap { $0 as? AttributeDescription }.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first })
      return compositeNode(elements) { name, element in
        attributes[name].map { node(of: element, for: $0) } ?? node(of: element)
      }
    }
    if attribute.type == .undefined { return node(of: value) }
    return node(of: value.coerced(to: attribute.type) ?? value)
  }

  /// Returns the node of a value; nil for no value, and for values that cannot be encoded.
  private static func node(of value: Value) -> TextNode? {
    switch value {
    case .null, .objectID: nil
    case .integer(let number): .object(["integer": .number(number)])
    case .double(let number): .object(["double": .text("\(number)")])
    case .boolean(let truth): .object(["boolean": .flag(truth)])
    case .string(let text): .object(["string": .text(text)])
    case .date(let date):
      .object(["date": .text("\(date.timeIntervalSinceReferenceDate)")])
    case .data(let data): .object(["data": .text(data.base64EncodedString())])
    case .uuid(let uuid): .object(["uuid": .text(uuid.uuidString)])
    case .uri(let url): .object(["uri": .text(url.absoluteString)])
    case .decimal(let number): .object(["decimal": .text(text(of: number))])
    case .transformable(let value):
      (try? value.bytes()).map { .object(["transformable": .text($0.base64EncodedString())]) }
    case .list(let values): .object(["list": .list(values.compactMap(node(of:)))])
    case .composite(let elements): compositeNode(elements) { node(of: $1) }
    }
  }

  private static func compositeNode(
    _ elements: [String: Value], node: (String, Value) -> TextNode?
  ) -> TextNode {
    let sorted = elements.sorted { UTF8Order.isLess($0.key, $1.key) }
    let fields = sorted.compactMap { name, value in
      node(name, value).map { TextNode.Field(name: name, node: $0) }
    }
    return .object(["composite": .object(fields)])
  }

  /// Returns digits and exponent, such as `-25e-2`.
  private static func text(of number: Decimal) -> String {
    var parts = DecimalParts(number)
    guard parts.mantissa != 0 else { return "0e0" }
    parts.removeTrailingZeros()
    return "\(parts.isNegative ? "-" : "")\(parts.mantissa)e\(parts.exponent)"
  }
}

// MARK: - Reading

extension ValueText {
  /// Returns the value of a node.
  static func value(of node: TextNode) throws(TextFault) -> Value {
    guard case .object(let fields) = node, fields.count == 1 else {
      throw TextFault("a default value is no object of one member")
    }
    let (kind, content) = (fields[0].name, fields[0].node)
    let value: Value? =
      switch (kind, content) {
      case ("integer", .number(let number)): .integer(number)
      case ("boolean", .flag(let truth)): .boolean(truth)
      case ("list", .list(let nodes)): .list(try values(of: nodes))
      case ("composite", .object(let fields)): .composite(try elements(of: fields))
      case (_, .text(let text)): value(of: kind, text)
      default: nil
      }
    guard let value else { throw TextFault("a default value is no “\(kind)”") }
    return value
  }

  private static func value(of kind: String, _ text: String) -> Value? {
    switch kind {
    case "string": .string(text)
    case "double": Double(text).map(Value.double)
    case "date": Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case "data": Data(base64Encoded: text).map(Value.data)
    case "uuid": UUID(uuidString: text).map(Value.uuid)
    case "uri": URL(string: text).map(Value.uri)
    case "decimal": decimal(of: text).map(Value.decimal)
    case "transformable":
      Data(base64Encoded: text).map { .transformable(TransformableValue(object: nil, encoded: $0)) }
    default: nil
    }
  }

  private static func values(of nodes: [TextNode]) throws(TextFault) -> [Value] {
    var result: [Value] = []
    for node in nodes { result.append(try value(of: node)) }
    return result
  }

  private static func elements(of fields: [TextNode.Field]) throws(TextFault) -> [String: Value] {
    var result: [String: Value] = [:]
    for field in fields { result[field.name] = try value(of: field.node) }
    return result
  }

  private static func decimal(of text: String) -> Decimal? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(
      separator: "e", omittingEmptySubsequences: false)
    guard parts.count == 2, let mantissa = UInt128(parts[0]), let exponent = Int16(parts[1]) else {
      return nil
    }
    return DecimalParts(isNegative: isNegative, exponent: Int(exponent), mantissa: mantissa).decimal
  }
}
