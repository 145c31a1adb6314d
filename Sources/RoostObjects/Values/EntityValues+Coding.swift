// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Conformances common to the values of all classes, so that no code is generated for each class.
extension EntityValues {
  /// Whether all attributes are equal, by the equality of stored values.
  public static func == (left: Self, right: Self) -> Bool { left._list == right._list }

  /// Hashes the attributes.
  public func hash(into hasher: inout Hasher) { hasher.combine(_list) }

  /// Encodes the attributes by name; nil values are left out, unless they have an initial value.
  ///
  /// - Throws: The error of the encoder; ``PersistenceError`` with code `transformation` for an attribute whose bytes
  ///   cannot be decoded.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AttributeKey.self)
    for attribute in _list.plan.attributes {
      try attribute.encode(_list.values[attribute.number], into: &container)
    }
  }

  /// Decodes the attributes by name. A missing one gets its initial value, or nil if it is optional.
  ///
  /// - Throws: `DecodingError`, which names the attribute, for one that is missing or of another type.
  public init(from decoder: any Decoder) throws {
    var list = AttributeValueList(_Object.self)
    let container = try decoder.container(keyedBy: AttributeKey.self)
    for attribute in list.plan.attributes {
      guard let value = try attribute.decode(from: container) else { continue }
      list.values[attribute.number] = value
    }
    self.init(_list: list)
  }
}

/// The name of an attribute.
private struct AttributeKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension ValuePlan.Attribute {
  private var key: AttributeKey { AttributeKey(stringValue: name) }

  fileprivate func encode(
    _ value: Value, into container: inout KeyedEncodingContainer<AttributeKey>
  ) throws {
    if let composite = declaration.composite, !value.isNull || !isOptional {
      var nested = container.nestedContainer(keyedBy: AttributeKey.self, forKey: key)
      var values = value.elementValues(composite.leaves.count)[...]
      for element in elements {
        try element.encode(element.takeValue(from: &values), into: &nested)
      }
      return
    }
    switch value {
    case .null: if hasDefault { try container.encodeNil(forKey: key) }
    case .integer(let number): try container.encode(number, forKey: key)
    case .double(let number):
      if declaration.type == .float {
        try container.encode(Float(number), forKey: key)
      } else {
        try container.encode(number, forKey: key)
      }
    case .boolean(let truth): try container.encode(truth, forKey: key)
    case .string(let text): try container.encode(text, forKey: key)
    case .date(let date): try container.encode(date, forKey: key)
    case .data(let data): try container.encode(data, forKey: key)
    case .uuid(let uuid): try container.encode(uuid, forKey: key)
    case .uri(let url): try container.encode(url, forKey: key)
    case .decimal(let number): try container.encode(number, forKey: key)
    case .transformable(let value):
      let object = try codec.map { codec throws(PersistenceError) in
        try value.object(decodedBy: codec)
      }
      if let object = object as? any Encodable {
        try container.encode(object, forKey: key)
      } else {
        try container.encode(value.bytes(), forKey: key)
      }
    case .objectID, .list, .composite:
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: container.codingPath + [key],
          debugDescription: "An attribute of an entity class has no such value."))
    }
  }

  /// Decodes the value; returns nil when it is missing, so that the initial value or nil applies.
  fileprivate func decode(
    from container: KeyedDecodingContainer<AttributeKey>
  ) throws -> Value? {
    guard container.contains(key) else {
      if hasDefault || isOptional { return nil }
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: container.codingPath,
          debugDescription: "“\(name)” is required and has no initial value."))
    }
    if isOptional, try container.decodeNil(forKey: key) { return .null }
    if let composite = declaration.composite {
      let nested = try container.nestedContainer(keyedBy: AttributeKey.self, forKey: key)
      return .elements(try elementValues(of: composite, from: nested))
    }
    return switch declaration.type {
    case .integer16: .integer(Int64(try container.decode(Int16.self, forKey: key)))
    case .integer32: .integer(Int64(try container.decode(Int32.self, forKey: key)))
    case .integer64: .integer(try container.decode(Int64.self, forKey: key))
    case .double: .double(try container.decode(Double.self, forKey: key))
    case .float: .double(Double(try container.decode(Float.self, forKey: key)))
    case .boolean: .boolean(try container.decode(Bool.self, forKey: key))
    case .string: .string(try container.decode(String.self, forKey: key))
    case .date: .date(try container.decode(Date.self, forKey: key))
    case .binaryData: .data(try container.decode(Data.self, forKey: key))
    case .uuid: .uuid(try container.decode(UUID.self, forKey: key))
    case .uri: .uri(try container.decode(URL.self, forKey: key))
    case .decimal: .decimal(try container.decode(Decimal.self, forKey: key))
    default: try transformable(from: container)
    }
  }

  private func elementValues(
    of composite: CompositeDeclaration, from container: KeyedDecodingContainer<AttributeKey>
  ) throws -> [Value] {
    try elements.flatMap { element in
      let value = try element.decode(from: container) ?? element.declaration.makeDefault?() ?? .null
      return element.declaration.composite.map { value.elementValues($0.leaves.count) } ?? [value]
    }
  }

  private func transformable(
    from container: KeyedDecodingContainer<AttributeKey>
  ) throws -> Value {
    guard let codec, let type = declaration.valueType as? any (Decodable & Sendable).Type else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "The type of “\(name)” cannot be decoded.")
    }
    return try decode(type, codec, from: container)
  }

  private func decode<T: Decodable & Sendable>(
    _ type: T.Type, _ codec: TransformableCodec,
    from container: KeyedDecodingContainer<AttributeKey>
  ) throws -> Value {
    let object = try container.decode(type, forKey: key)
    // A row holds values of this type directly, or the type converts itself to bytes: null, too.
    if let value = (object as? any AttributeValue)?.attributeValue {
      if value.isNull { return .null }
      if case .transformable = value, declaration.transformerName == nil { return value }
    }
    return .transformable(TransformableValue(object, codec: codec))
  }
}
