// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A version of a model for tests, declared briefly and frozen.
package struct TestModel: Sendable {
  package let model: ManagedObjectModel

  /// A short description of an entity.
  package struct Entity: Sendable {
    let name: String
    var was: String?
    var parent: String?
    var isAbstract = false
    var unique: [[String]] = []
    var indexes: [[String]] = []
    let properties: [Property]

    package init(
      _ name: String, was: String? = nil, parent: String? = nil, abstract: Bool = false,
      unique: [[String]] = [], indexes: [[String]] = [], _ properties: Property...
    ) {
      self.name = name
      self.was = was
      self.parent = parent
      isAbstract = abstract
      self.unique = unique
      self.indexes = indexes
      self.properties = properties
    }

    /// Makes an entity from a list of properties.
    package init(_ name: String, of properties: [Property]) {
      self.name = name
      self.properties = properties
    }
  }

  /// A short description of a property.
  package enum Property: Sendable {
    case attribute(
      String, AttributeType, was: String? = nil, isOptional: Bool = true, value: Value = .null)
    case derived(String, AttributeType, String)
    case one(String, String, was: String? = nil, inverse: String? = nil)
    case many(String, String, was: String? = nil, inverse: String? = nil, isOrdered: Bool = false)
  }

  /// Makes a version, and freezes it.
  package init(_ entities: Entity...) throws {
    var byName: [String: EntityDescription] = [:]
    for entity in entities { byName[entity.name] = EntityDescription(name: entity.name) }
    for entity in entities {
      guard let made = byName[entity.name] else { continue }
      made.isAbstract = entity.isAbstract
      if let was = entity.was { made.renamingIdentifier = was }
      made.declaredProperties = entity.properties.map { $0.description(byName) }
      made.uniquenessConstraints = entity.unique
    }
    for entity in entities {
      guard let made = byName[entity.name] else { continue }
      made.subentities = entities.filter { $0.parent == entity.name }.compactMap {
        byName[$0.name]
      }
      for property in entity.properties {
        let names: (String, String)? =
          switch property {
          case .one(let name, _, _, let inverse?): (name, inverse)
          case .many(let name, _, _, let inverse?, _): (name, inverse)
          default: nil
          }
        guard let (name, inverse) = names, let relationship = made.declared(name),
          let other = relationship.destinationEntity?.declared(inverse)
        else { continue }
        relationship.inverseRelationship = other
      }
    }
    // The hierarchy is finished: editing it drops indexes.
    for entity in entities {
      byName[entity.name]?.indexes = entity.indexes.map { names in
        FetchIndexDescription(
          name: names.joined(separator: "_"),
          elements: names.map { FetchIndexElementDescription(propertyName: $0) })
      }
    }
    let model = ManagedObjectModel(entities: entities.compactMap { byName[$0.name] })
    try model.freeze()
    self.model = model
  }

  package func entity(_ name: String) -> EntityDescription {
    guard let entity = model.entitiesByName[name] else { preconditionFailure("No entity \(name).") }
    return entity
  }
}

extension EntityDescription {
  fileprivate func declared(_ name: String) -> RelationshipDescription? {
    declaredProperties.lazy.compactMap { $0 as? RelationshipDescription }
      .first { $0.name == name }
  }
}

extension TestModel.Property {
  fileprivate func description(_ entities: [String: EntityDescription]) -> PropertyDescription {
    let result: PropertyDescription
    var former: String?
    switch self {
    case .attribute(let name, let type, let was, let isOptional, let value):
      let attribute = AttributeDescription(name: name, type: type)
      attribute.isOptional = isOptional
      attribute.defaultConstant = value
      (result, former) = (attribute, was)
    case .derived(let name, let type, let expression):
      let attribute = DerivedAttributeDescription(name: name, type: type)
      attribute.derivationExpression = UnparsedExpression(expression)
      result = attribute
    case .one(let name, let destination, let was, _):
      let relationship = RelationshipDescription(
        name: name, destination: entities[destination], maxCount: 1)
      (result, former) = (relationship, was)
    case .many(let name, let destination, let was, _, let isOrdered):
      let relationship = RelationshipDescription(
        name: name, destination: entities[destination], maxCount: 0)
      relationship.isOrdered = isOrdered
      (result, former) = (relationship, was)
    }
    if let former { result.renamingIdentifier = former }
    return result
  }
}
