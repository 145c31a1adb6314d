// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The elements of the arrays and sets that transformable attributes keep as JSON.
package enum TransformableElements {
  /// The types that elements can have.
  package static let types: Set<AttributeType> = [
    .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean, .string, .date, .uuid,
    .uri, .binaryData,
  ]

  /// Decodes a collection.
  ///
  /// - Throws: `transformation` for bytes that are no JSON array of the type.
  static func decode(
    _ bytes: Data, as type: AttributeType, named name: String
  ) throws(PersistenceError) -> [Value] {
    do {
      switch type {
      case .integer16, .integer32, .integer64:
        return try list(bytes, of: Int64.self) { .integer($0) }
      case .double: return try list(bytes, of: Double.self) { .double($0) }
      // Encoded with the digits of a Float, which are those of another Double.
      case .float: return try list(bytes, of: Float.self) { .double(Double($0)) }
      case .decimal: return try list(bytes, of: Decimal.self) { .decimal($0) }
      case .boolean: return try list(bytes, of: Bool.self) { .boolean($0) }
      case .string: return try list(bytes, of: String.self) { .string($0) }
      case .date: return try list(bytes, of: Date.self) { .date($0) }
      case .uuid: return try list(bytes, of: UUID.self) { .uuid($0) }
      case .uri: return try list(bytes, of: URL.self) { .uri($0) }
      case .binaryData: return try list(bytes, of: Data.self) { .data($0) }
      default: break
      }
    } catch {
      throw PersistenceError(
        .transformation, "The value of “\(name)” is no list of elements of the type \(type).",
        key: name, underlying: error)
    }
    throw PersistenceError(.transformation, "No elements have the type \(type).", key: name)
  }

  private static func list<Element: Decodable>(
    _ bytes: Data, of type: Element.Type, _ value: (Element) -> Value
  ) throws -> [Value] {
    try JSONDecoder().decode([Element].self, from: bytes).map(value)
  }
}
