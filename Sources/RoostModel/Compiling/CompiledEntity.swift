// SPDX-License-Identifier: Apache-2.0

/// Precomputed lookup data of an entity in use.
final class CompiledEntity: Sendable {
  let properties: [PropertyDescription]
  let propertiesByName: [String: PropertyDescription]
  let attributes: [AttributeDescription]
  let attributesByName: [String: AttributeDescription]
  let relationships: [RelationshipDescription]
  let relationshipsByName: [String: RelationshipDescription]
  let rootEntity: EntityDescription
  let concreteEntities: [EntityDescription]
  /// The entity's preorder number in its hierarchy.
  let preorder: Int
  /// The largest preorder number among its descendants.
  let lastPreorder: Int

  init(
    properties: [PropertyDescription], rootEntity: EntityDescription,
    concreteEntities: [EntityDescription], preorder: Int, lastPreorder: Int
  ) {
    self.properties = properties
    propertiesByName = Dictionary(
      properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    attributes = properties.compactMap { $0 as? AttributeDescription }
    attributesByName = Dictionary(
      attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    relationships = properties.compactMap { $0 as? RelationshipDescription }
    relationshipsByName = Dictionary(
      relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.rootEntity = rootEntity
    self.concreteEntities = concreteEntities
    self.preorder = preorder
    self.lastPreorder = lastPreorder
  }
}

/// Precomputed lookup data of a model in use.
final class CompiledModel: @unchecked Sendable {
  // Sendable: everything is set in `init`; `AnyClass` keys are identifiers only.
  let entitiesByName: [String: EntityDescription]
  let entitiesByClass: [ObjectIdentifier: EntityDescription]
  let linkTables: [LinkTable]
  let hasRelationshipsAcrossStores: Bool

  init(entities: [EntityDescription], linkTables: [LinkTable]) {
    self.linkTables = linkTables
    hasRelationshipsAcrossStores = entities.contains { entity in
      entity.declaredProperties.contains {
        ($0 as? RelationshipDescription)?.mayCrossStores ?? false
      }
    }
    entitiesByName = Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
    var byClass: [ObjectIdentifier: EntityDescription] = [:]
    var ambiguous: Set<ObjectIdentifier> = []
    for entity in entities {
      guard let type = entity.managedObjectClass else { continue }
      let identifier = ObjectIdentifier(type)
      if byClass.updateValue(entity, forKey: identifier) != nil { ambiguous.insert(identifier) }
    }
    for identifier in ambiguous { byClass[identifier] = nil }
    entitiesByClass = byClass
  }
}
