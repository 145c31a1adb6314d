// SPDX-License-Identifier: Apache-2.0

/// What the entities and properties of a version of a model were called in another one, by their renaming identifiers:
/// also between versions of which the one cannot be inferred from the other.
package struct EarlierNames {
  /// An entity of the new version.
  package struct Entity {
    /// What it was called; nil for a new one.
    package let name: String?
    /// What its properties were called, own and inherited ones, by the names that they have; those of elements of
    /// composite attributes are dotted. New properties are not among them.
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

  /// What an entity of the new version was, by the name that it has.
  package subscript(_ name: String) -> Entity? { entities[name] }
}
