// SPDX-License-Identifier: Apache-2.0

/// Decodes blank values without input: numbers are zero, texts are empty, optionals are nil, collections have no
/// elements.
struct BlankDecoder: Decoder {
  /// The nesting depth: a recursive type has no end.
  let depth: Int
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(BlankFields(depth: depth))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    BlankElements(depth: depth)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { BlankContent(depth: depth) }

  private static let deepest = 64

  /// The blank value of a type.
  fileprivate static func value<T: Decodable>(of type: T.Type, at depth: Int) throws -> T {
    guard depth < deepest, let value = MissingValue.of(type, at: depth + 1) else {
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: [], debugDescription: "Nothing is no \(type)."))
    }
    return value
  }
}

/// A keyed container in which every field is blank.
private struct BlankFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let depth: Int
  let codingPath: [any CodingKey] = []
  let allKeys: [Key] = []

  func contains(_ key: Key) -> Bool { false }
  func decodeNil(forKey key: Key) -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try BlankDecoder.value(of: type, at: depth)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(BlankFields<Nested>(depth: depth))
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    BlankElements(depth: depth)
  }
  func superDecoder() -> any Decoder { BlankDecoder(depth: depth) }
  func superDecoder(forKey key: Key) -> any Decoder { BlankDecoder(depth: depth) }
}

/// An unkeyed container without elements.
private struct BlankElements: UnkeyedDecodingContainer {
  let depth: Int
  let codingPath: [any CodingKey] = []
  let count: Int? = 0
  let isAtEnd = true
  let currentIndex = 0

  func decodeNil() -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try BlankDecoder.value(of: type, at: depth)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(BlankFields<Nested>(depth: depth))
  }
  func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    BlankElements(depth: depth)
  }
  func superDecoder() -> any Decoder { BlankDecoder(depth: depth) }
}

/// A single blank value.
private struct BlankContent: SingleValueDecodingContainer {
  let depth: Int
  let codingPath: [any CodingKey] = []

  func decodeNil() -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try BlankDecoder.value(of: type, at: depth)
  }
}
