// SPDX-License-Identifier: Apache-2.0

import Roost

extension RecordedModel {
  /// The types that an attribute of a recording can have.
  private static let types = Set(
    [
      AttributeType.integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean,
      .date, .binaryData, .uuid, .uri,
    ].map(\.rawValue))

  /// Makes a model that a store can be opened with, without custom classes for its objects.
  ///
  /// - Throws: ``RecordingError`` for an unknown name.
  func makeModel() throws -> ManagedObjectModel {
    var made: [String: EntityDescription] = [:]
    for entity in entities {
      let description = EntityDescription(name: entity.name)
      description.isAbstract = entity.isAbstract
      made[entity.name] = description
    }
    func find(_ name: String) throws -> EntityDescription {
      guard let entity = made[name] else {
        throw RecordingError("The recording's model has no entity \(name).")
      }
      return entity
    }
    for entity in entities {
      let description = try find(entity.name)
      description.subentities = try entities.filter { $0.superentity == entity.name }
        .map { try find($0.name) }
      let attributes: [PropertyDescription] = try entity.attributes.map { attribute in
        guard Self.types.contains(attribute.type) else {
          throw RecordingError("\(entity.name).\(attribute.name) has a type that is unknown.")
        }
        let description = AttributeDescription(
          name: attribute.name, type: AttributeType(rawValue: attribute.type))
        description.isOptional = attribute.isOptional
        return description
      }
      let relationships: [PropertyDescription] = try entity.relationships.map {
        try make($0, to: find($0.destination))
      }
      description.declaredProperties = attributes + relationships
      description.uniquenessConstraints = entity.uniquenessConstraints
    }
    for entity in entities {
      let description = try find(entity.name)
      for relationship in entity.relationships {
        guard let inverse = relationship.inverse else { continue }
        description.relationshipsByName[relationship.name]?.inverseRelationship =
          try find(relationship.destination).relationshipsByName[inverse]
      }
      description.indexes = entity.indexes.map { index in
        FetchIndexDescription(name: index.name, elements: elements(index, of: description))
      }
    }
    return ManagedObjectModel(entities: entities.compactMap { made[$0.name] })
  }

  private func make(
    _ recorded: Relationship, to destination: EntityDescription
  ) throws -> RelationshipDescription {
    guard recorded.minCount >= 0, recorded.maxCount >= 0 else {
      throw RecordingError("\(recorded.name) has a number of objects below zero.")
    }
    let relationship = RelationshipDescription(
      name: recorded.name, destination: destination, maxCount: recorded.maxCount)
    relationship.isOptional = recorded.isOptional
    relationship.minCount = recorded.minCount
    relationship.isOrdered = recorded.isOrdered
    relationship.deleteRule = DeleteRule(rawValue: recorded.deleteRule) ?? .nullify
    return relationship
  }

  private func elements(
    _ index: Index, of entity: EntityDescription
  ) -> [FetchIndexElementDescription] {
    index.elements.compactMap { element in
      guard let property = entity.property(named: element.property) else { return nil }
      let made = FetchIndexElementDescription(property: property)
      made.isAscending = element.isAscending
      return made
    }
  }
}
