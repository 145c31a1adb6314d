// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// The entities of a model whose version hashes do not cover everything that migrations depend on: the names of
/// composite and derived attributes and the types of the latter, and whether a relationship is its own inverse.
///
/// The hashes stay equal to Core Data's; the rest is compared by the shapes that a store keeps.
package struct ShapedEntities: Sendable {
  private let entities: [EntityDescription]

  /// Selects the entities that must be compared by shape. Most models have none.
  package init(_ entities: [EntityDescription]) {
    self.entities = entities.filter { entity in
      entity.attributesInOrder.contains { $0.needsShape }
        || entity.relationshipsInOrder.contains { $0.needsShape }
    }
  }

  /// Returns the names of the entities that differ from the store's although their hashes are equal.
  ///
  /// - Parameter metadata: The store's metadata; a store without shapes has no differences.
  package func differences(from metadata: StoreMetadata) -> [String] {
    guard !entities.isEmpty, let shapes = metadata.entityShapes else { return [] }
    return entities.compactMap { entity in
      guard let name = entity.name, let text = shapes[name] else { return nil }
      let shape = EntityShape(entity)
      guard shape.text != text, let stored = EntityShape(text) else { return nil }
      // The hashes cover everything else, which stores of earlier Roost releases may spell differently.
      let isSame =
        shape.types.filter { Self.isCompared($0.value) }
        == stored.types.filter { Self.isCompared($0.value) }
        && entity.relationshipsInOrder.allSatisfy { relationship in
          guard relationship.needsShape, let now = shape.types[relationship.name],
            let before = stored.types[relationship.name]
          else { return true }
          return now == before
        }
      return isSame ? nil : name
    }
  }

  private static func isCompared(_ type: String) -> Bool {
    type.hasPrefix("composite of ") || type.hasPrefix("derived ")
  }

  /// Returns a digest of shapes as text.
  package static func digest(_ shapes: [String: String]) -> String {
    let texts = shapes.sorted { UTF8Order.isLess($0.key, $1.key) }.map { "\($0.key):\($0.value)" }
    return SHA256.hash(texts.joined(separator: "\n").utf8).base64EncodedString()
  }
}

extension AttributeDescription {
  fileprivate var needsShape: Bool {
    !isTransient && (self is CompositeAttributeDescription || self is DerivedAttributeDescription)
  }
}

extension RelationshipDescription {
  /// Whether it is its own inverse, or could be: the hash is the same without an inverse.
  fileprivate var needsShape: Bool {
    guard !isTransient, destinationEntity === entity else { return false }
    return inverseRelationship == nil || inverseRelationship === self
  }
}
