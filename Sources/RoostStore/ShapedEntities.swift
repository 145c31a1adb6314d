// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// The entities of a model of which version hashes do not tell everything that migrations depend on: the names of
/// composite and derived attributes and the types of the latter, and whether a relationship is its own inverse.
///
/// The hashes stay those that Core Data has; what is missing is compared by the shapes that a store keeps.
package struct ShapedEntities: Sendable {
  private let entities: [EntityDescription]

  /// Looks which entities have something that must be compared. Most models have none.
  package init(_ entities: [EntityDescription]) {
    self.entities = entities.filter { entity in
      entity.attributesInOrder.contains { $0.needsShape }
        || entity.relationshipsInOrder.contains { $0.needsShape }
    }
  }

  /// The names of the entities that are not as in a store although their hashes are the same.
  ///
  /// - Parameter metadata: What the store says of itself; a store without shapes has no differences.
  package func differences(from metadata: StoreMetadata) -> [String] {
    guard !entities.isEmpty, let shapes = metadata.entityShapes else { return [] }
    return entities.compactMap { entity in
      guard let name = entity.name, let text = shapes[name] else { return nil }
      let shape = EntityShape(entity)
      guard shape.text != text, let stored = EntityShape(text) else { return nil }
      // Of everything else the hashes tell; a store of an earlier Roost may spell it otherwise.
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

  /// A text that stands for some shapes.
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
  /// Whether it is its own inverse, or could have been: the hash is the same without one.
  fileprivate var needsShape: Bool {
    guard !isTransient, destinationEntity === entity else { return false }
    return inverseRelationship == nil || inverseRelationship === self
  }
}
