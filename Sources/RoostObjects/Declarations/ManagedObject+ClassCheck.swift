// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// A class numbers the properties of its entity, and reads their slots by type: the class must match the entity before
// the first object is created.
extension ManagedObject: ModelledClass {
  /// Returns errors for properties of the class that the entity does not have, or has with another type.
  package static func findFaults(asClassOf entity: EntityDescription) -> [PersistenceError] {
    guard let declaration = _entityDeclaration else { return [] }
    let properties = entity.properties
    // An entity created from its class has the properties in the order of the class: no look-up by name is needed.
    var byName: [String: PropertyDescription]?
    return declaration.propertyNames.indices.compactMap { number in
      guard let declared = declaration.property(numbered: number) else { return nil }
      if number < properties.count, properties[number].name == declared.name {
        return declared.mismatch(properties[number]).map { fault($0, declared) }
      }
      if byName == nil {
        byName = Dictionary(
          properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      }
      guard let property = byName?[declared.name] else {
        return fault("which its entity does not have", declared)
      }
      return declared.mismatch(property).map { fault($0, declared) }
    }
  }

  /// The names of the properties, by `@Entity`'s indices; nil for a class without it.
  package static var numberedProperties: [String]? { _entityDeclaration?.propertyNames }

  private static func fault(_ what: String, _ property: PropertyDeclaration) -> PersistenceError {
    PersistenceError(
      .invalidModel, "The class \(self) has a property “\(property.name)”, \(what).",
      key: property.name)
  }
}

extension PropertyDeclaration {
  /// Returns the difference between the entity's property and the class's declaration; nil when they match.
  fileprivate func mismatch(_ property: PropertyDescription) -> String? {
    switch (content, property) {
    case (.relationship(let declared), let relationship as RelationshipDescription):
      guard declared.isToMany != relationship.isToMany else {
        return declared.destinationMismatch(relationship)
      }
      return declared.isToMany
        ? "to-many, which its entity has as a to-one relationship"
        : "to-one, which its entity has as a to-many relationship"
    case (.relationship, _): return "a relationship, which its entity has as something else"
    case (.attribute(let declared), let attribute as AttributeDescription):
      guard declared.type.slotKind != attribute.type.slotKind else {
        if let mismatch = declared.composite?.mismatch(attribute) { return mismatch }
        return declared.hasMissingValue
          ? nil
          : "whose type has nothing that stands for a missing value; give it an initial value, or make it optional"
      }
      return "of type \(declared.type), which its entity has as \(attribute.type)"
    case (.attribute, _): return "an attribute, which its entity has as something else"
    }
  }
}

extension CompositeDeclaration {
  /// Returns the difference between the entity's composite and the struct; nil when they match.
  fileprivate func mismatch(_ attribute: AttributeDescription) -> String? {
    for leaf in leaves {
      let name = leaf.path.joined(separator: ".")
      guard let found = attribute.element(along: leaf.path[...]) else {
        return "with an element “\(name)” that its entity does not have"
      }
      if found.type.slotKind != leaf.declaration.type.slotKind {
        return
          "with an element “\(name)” of type \(leaf.declaration.type), which its entity has as \(found.type)"
      }
    }
    return nil
  }
}

extension RelationshipDeclaration {
  /// Returns the difference between the destination's class and the property's type; nil when they match.
  fileprivate func destinationMismatch(_ relationship: RelationshipDescription) -> String? {
    guard let entity = relationship.destinationEntity else { return nil }
    let found = entity.managedObjectClass as? ManagedObject.Type ?? ManagedObject.self
    guard !destination.isSame(orAbove: found) else { return nil }
    return
      "a relationship to objects of \(destination), which in its entity leads to objects of \(found)"
  }
}
