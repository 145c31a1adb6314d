// SPDX-License-Identifier: Apache-2.0

/// The earlier names of entities and properties, by their renaming identifiers, also between versions without an
/// inferred migration.
package struct EarlierNames {
  /// An entity of the new version.
  package struct Entity {
    /// The earlier name; nil for a new entity.
    package let name: String?
    /// The earlier names of its own and inherited properties by their present names, dotted for elements of composite
    /// attributes. New properties are missing.
    package fileprivate(set) var properties: [String: String] = [:]
  }

  private var entities: [String: Entity] = [:]

  /// Compares two versions.
  ///
  /// - Complexity: Linear in the number of properties, inherited ones included.
  package init(from source: [EntityDescription], to destination: [EntityDescription]) {
    var finder = DifferenceFinder(
      from: source, to: destination, allowsLosslessTypeChanges: false)
    finder.pairEntities()
    for entity in destination {
      var match = PropertyMatches(source: finder.parts.source(of: entity), destination: entity)
      finder.pairProperties(&match)
      var found = Entity(name: match.source?.name)
      Self.add(match.attributes, to: &found)
      for pair in match.relationships {
        found.properties[pair.destination.name] = pair.source?.name
      }
      entities[entity.name ?? ""] = found
    }
  }

  private static func add(_ attributes: [AttributeMatch], to entity: inout Entity) {
    for attribute in attributes {
      entity.properties[attribute.name] = attribute.sourceName
      add(attribute.elements, to: &entity)
    }
  }

  /// Returns the earlier names of an entity of the new version, by its present name.
  package subscript(_ name: String) -> Entity? { entities[name] }
}
