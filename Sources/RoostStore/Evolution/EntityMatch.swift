// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A pair of matching entities of two model versions, with their matched properties.
package struct EntityMatch: Sendable {
  /// The entity in the source version.
  package let source: EntityDescription
  /// The entity in the destination version.
  package let destination: EntityDescription
  /// The matched properties, including inherited ones.
  package let properties: [PropertyMatch]

  /// Matches two entities.
  package init(
    _ source: EntityDescription, _ destination: EntityDescription, properties: [PropertyMatch]
  ) {
    self.source = source
    self.destination = destination
    self.properties = properties
  }

  /// A pair of matching properties, or of elements of composite attributes.
  package struct PropertyMatch: Sendable {
    package let source: PropertyDescription
    package let destination: PropertyDescription
    /// The name of the values in the source: the property's name, or the dotted name of an element.
    package let sourceName: String
    /// The name of the values in the destination.
    package let destinationName: String
    /// The conversion, if values are represented differently now.
    package let conversion: ValueConversion?
    /// Whether the values are recomputed.
    package let isComputed: Bool

    package init(
      _ source: PropertyDescription, _ destination: PropertyDescription,
      sourceName: String? = nil, destinationName: String? = nil,
      conversion: ValueConversion? = nil, isComputed: Bool = false
    ) {
      self.source = source
      self.destination = destination
      self.sourceName = sourceName ?? source.name
      self.destinationName = destinationName ?? destination.name
      self.conversion = conversion
      self.isComputed = isComputed
    }
  }
}

/// Lookup from entities and relationships of the destination to those of the source.
struct EntityMatches {
  private var matches: [ObjectIdentifier: EntityMatch] = [:]
  private var relationships: [ObjectIdentifier: [RelationshipDescription]] = [:]
  /// The relationships of the destination that have a match, in the order of the pairs.
  private var newRelationships: [RelationshipDescription] = []

  init(_ pairs: [EntityMatch]) {
    for pair in pairs {
      matches[ObjectIdentifier(pair.destination)] = pair
      for match in pair.properties {
        guard let new = match.destination as? RelationshipDescription,
          let old = match.source as? RelationshipDescription
        else { continue }
        let known = relationships[ObjectIdentifier(new)] ?? []
        if known.isEmpty { newRelationships.append(new) }
        if !known.contains(where: { $0 === old }) {
          relationships[ObjectIdentifier(new)] = known + [old]
        }
      }
    }
  }

  subscript(entity: EntityDescription) -> EntityMatch? { matches[ObjectIdentifier(entity)] }

  /// Returns the source relationships of a destination relationship: none for a new one, several for one that was
  /// pulled up from several entities.
  func sources(of relationship: RelationshipDescription) -> [RelationshipDescription] {
    relationships[ObjectIdentifier(relationship)] ?? []
  }

  /// Returns the destination relationships of a source relationship.
  func destinations(of relationship: RelationshipDescription) -> [RelationshipDescription] {
    newRelationships.filter { sources(of: $0).contains { $0 === relationship } }
  }

  /// Whether a source relationship has a match in the destination.
  func isContinued(_ relationship: RelationshipDescription) -> Bool {
    relationships.values.contains { $0.contains { $0 === relationship } }
  }
}
