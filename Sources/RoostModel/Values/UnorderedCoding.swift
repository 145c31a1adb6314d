// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A collection that encodes its elements in iteration order, which differs between equal collections. Stored values
/// are compared by their bytes, so these need an order that depends only on the elements.
protocol UnorderedCoding {
  /// Returns a value that decodes as the same collection, and whose encoding is equal for equal collections.
  func inOneOrder() throws -> any Encodable
}

extension Set: UnorderedCoding where Element: Encodable {
  func inOneOrder() throws -> any Encodable { try sortedByBytes(self) }
}

extension Dictionary: UnorderedCoding where Key: Encodable, Value: Encodable {
  func inOneOrder() throws -> any Encodable {
    // Such keys become keys of a JSON object, which the encoder sorts.
    let isKeyed =
      Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
    guard !isKeyed else { return self }
    return AlternatingPairs(
      pairs: try sortedByBytes(keys).compactMap { key in
        self[key].map { (key, $0) }
      })
  }
}

/// Alternating keys and values, as the standard library encodes a dictionary whose keys are not strings.
private struct AlternatingPairs<Key: Encodable, Value: Encodable>: Encodable {
  let pairs: [(key: Key, value: Value)]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for (key, value) in pairs {
      try container.encode(key)
      try container.encode(value)
    }
  }
}

/// Returns the elements sorted by their encoded bytes.
private func sortedByBytes<Element: Encodable>(
  _ elements: some Sequence<Element>
) throws -> [Element] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return try elements.map { (bytes: try encoder.encode($0), element: $0) }
    .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    .map(\.element)
}
