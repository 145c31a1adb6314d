// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// An entity of one version of a model, and what it was in the version before, with its properties.
package struct EntityMatch: Sendable {
  /// The entity as it was.
  package let source: EntityDescription
  /// The entity as it is to be.
  package let destination: EntityDescription
  /// Which properties of the destination, inherited ones too, come from which of the source.
  package let properties: [PropertyMatch]

  /// Matches two entities.
  package init(
    _ source: EntityDescription, _ destination: EntityDescription, properties: [PropertyMatch]
  ) {
    self.source = source
    self.destination = destination
    self.properties = properties
  }

  /// A property, or an element of a composite attribute, and what it was.
  package struct PropertyMatch: Sendable {
    package let source: PropertyDescription
    package let destination: PropertyDescription
    /// The name under which the source has the values: that of the property, or the dotted one of an element.
    package let sourceName: String
    /// The name under which the destination has them.
    package let destinationName: String
    /// How values are converted, if they are held otherwise now.
    package let conversion: ValueConversion?
    /// Whether the values are computed anew.
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

/// Entities and relationships of a destination with what they were.
struct EntityMatches {
  private var matches: [ObjectIdentifier: EntityMatch] = [:]
  private var relationships: [ObjectIdentifier: [RelationshipDescription]] = [:]

  init(_ pairs: [EntityMatch]) {
    for pair in pairs {
      matches[ObjectIdentifier(pair.destination)] = pair
      for match in pair.properties {
        guard let new = match.destination as? RelationshipDescription,
          let old = match.source as? RelationshipDescription
        else { continue }
        let known = relationships[ObjectIdentifier(new)] ?? []
        if !known.contains(where: { $0 === old }) {
          relationships[ObjectIdentifier(new)] = known + [old]
        }
      }
    }
  }

  subscript(entity: EntityDescription) -> EntityMatch? { matches[ObjectIdentifier(entity)] }

  /// What a relationship of the destination was; none for a new one, several for one that was pulled up from several
  /// entities.
  func sources(of relationship: RelationshipDescription) -> [RelationshipDescription] {
    relationships[ObjectIdentifier(relationship)] ?? []
  }

  /// Whether a relationship of the source is one of the destination.
  func isContinued(_ relationship: RelationshipDescription) -> Bool {
    relationships.values.contains { $0.contains { $0 === relationship } }
  }
}
