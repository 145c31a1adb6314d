// SPDX-License-Identifier: Apache-2.0

/// Resolves references between the parts of a model by name, as Core Data does (B339): a reference to a description
/// outside the model, such as a copy, is replaced by the model's own description of the same name. A property or
/// index that several entities share is copied for each of them.
///
/// References without a counterpart in the model stay unchanged, and the check reports them.
struct ModelLinking {
  private let model: ManagedObjectModel
  private let members: Set<ObjectIdentifier>
  private let byName: [String: EntityDescription]

  init(model: ManagedObjectModel) {
    self.model = model
    members = Set(model.entities.map(ObjectIdentifier.init))
    byName = model.entitiesByName
  }

  /// Replaces the references; does nothing when the descriptions already refer to one another.
  func link() {
    let entities = model.entities.filter { !$0.isFrozen }
    for entity in entities { linkSubentities(of: entity) }
    for entity in entities { linkSuperentity(of: entity) }
    for entity in entities { entity.separateSharedParts() }
    for entity in entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        link(relationship)
      }
      for index in entity.indexes { link(index, of: entity) }
    }
  }

  /// Returns the entity itself when it is part of the model, otherwise the model's entity of the same name.
  private func counterpart(of entity: EntityDescription) -> EntityDescription? {
    if members.contains(ObjectIdentifier(entity)) { return entity }
    return entity.name.flatMap { byName[$0] }
  }

  private func linkSubentities(of entity: EntityDescription) {
    let linked = entity.subentities.map { counterpart(of: $0) ?? $0 }
    if linked.elementsEqual(entity.subentities, by: ===) { return }
    entity.replaceSubentities(linked)
  }

  private func linkSuperentity(of entity: EntityDescription) {
    guard let parent = entity.superentity, let taken = counterpart(of: parent),
      taken !== parent, taken !== entity, !taken.isFrozen
    else { return }
    taken.replaceSubentities(taken.subentities + [entity])
  }

  /// Resolves destination and inverse. An inverse is looked up at the destination, even if it was made for another
  /// entity.
  private func link(_ relationship: RelationshipDescription) {
    guard let destination = relationship.destinationEntity.flatMap(counterpart) else { return }
    if relationship.destinationEntity !== destination {
      relationship.destinationEntity = destination
    }
    guard let inverse = relationship.inverseRelationship, inverse.entity !== destination,
      let taken = destination.relationshipsByName[inverse.name]
    else { return }
    relationship.inverseRelationship = taken
  }

  private func link(_ index: FetchIndexDescription, of entity: EntityDescription) {
    for element in index.elements {
      guard let property = element.property, !(property is ExpressionDescription),
        !entity.hasProperty(property), let taken = entity.propertiesByName[property.name]
      else { continue }
      element.property = taken
    }
  }
}

extension EntityDescription {
  /// Whether the entity or one of its superentities owns a property.
  fileprivate func hasProperty(_ property: PropertyDescription) -> Bool {
    guard let owner = property.entity else { return false }
    return owner === self || ancestors.contains { $0 === owner }
  }

  /// Replaces properties and indexes that belong to another entity by copies.
  fileprivate func separateSharedParts() {
    if declaredProperties.contains(where: { $0.entity !== self }) {
      let own = declaredProperties.map { property in
        guard let owner = property.entity, owner !== self else { return property }
        return property.copy()
      }
      replaceProperties(own)
    }
    if indexes.contains(where: { $0.entity !== self || $0.isFrozen }) {
      indexes = indexes.map { index in
        let isShared = index.isFrozen || index.entity.map { $0 !== self } ?? false
        return isShared ? index.copy() : index
      }
    }
  }
}
