// SPDX-License-Identifier: Apache-2.0

/// Where a relationship led while its model lived, by name.
struct FormerLink {
  let destinationName: String?
  let inverseName: String?
  let isOwnInverse: Bool
}

/// The names of the entities above and below an entity while its model lived.
struct FormerRelatives {
  var superentityName: String?
  var subentityNames: [String] = []
}

/// The end of a model's entities. They refer to one another in circles, which are cut when the model goes away.
///
/// An entity that is still referenced keeps its destinations, inverses and hierarchy: they are copies, which it holds
/// and which do not refer back to it. Nobody makes copies when no entity is held.
enum RetiredEntities {
  /// Cuts the circles, and gives those entities that live on copies of the others.
  ///
  /// - Parameter entities: The entities of a model that is going away; empty afterwards, so that it does not count as
  ///   a holder.
  static func retire(_ entities: inout [EntityDescription]) {
    for entity in entities { entity.dissolve() }
    var held: [EntityDescription?] = entities
    entities = []
    let survivors = held.indices.filter { !isKnownUniquelyReferenced(&held[$0]) }
    if survivors.isEmpty { return }
    let originals = held.compactMap { $0 }
    let copies = ManagedObjectModel(entities: originals.map { $0.copy() })
    let byName = copies.entitiesByName
    for (copy, original) in zip(copies.entities, originals) {
      copy.former = original.former
      copy.replaceSubentities(original.former.subentityNames.compactMap { byName[$0] })
    }
    for copy in copies.entities { copy.restoreRelationships(from: byName) }
    for index in survivors { originals[index].outlive(with: copies, byName) }
  }
}

extension EntityDescription {
  /// Cuts the references to other entities, and remembers their names.
  func dissolve() {
    former = FormerRelatives(
      superentityName: superentity?.name ?? former.superentityName,
      subentityNames: subentities.compactMap(\.name))
    let identifier = ObjectIdentifier(self)
    for case let relationship as RelationshipDescription in declaredProperties {
      relationship.dissolve()
    }
    for subentity in subentities { subentity.dissolvedParent(identifier, name: name) }
    compiled = nil
    runtime.clear()
    whileEditable { replaceSubentities([]) }
  }

  /// Notes the name of a superentity that is being dissolved before the entity itself is.
  private func dissolvedParent(_ identifier: ObjectIdentifier, name: String?) {
    former.superentityName = name
    parent.forget(identifier)
  }

  /// Leads the relationships to entities of the same names.
  ///
  /// - Parameter remains: What the relationships keep alive as long as they lead there.
  fileprivate func restoreRelationships(
    from byName: [String: EntityDescription], keeping remains: ManagedObjectModel? = nil
  ) {
    for case let relationship as RelationshipDescription in declaredProperties {
      relationship.restoreLink(from: byName)
      relationship.remains = remains
    }
  }

  /// Gives the entity, which its model leaves behind, relatives that are copies.
  fileprivate func outlive(
    with copies: ManagedObjectModel, _ byName: [String: EntityDescription]
  ) {
    remains = copies
    restoreRelationships(from: byName, keeping: copies)
    let ownCopy = name.flatMap { byName[$0] }
    let below = former.subentityNames.compactMap { byName[$0] }
    whileEditable { replaceSubentities(below) }
    for subentity in below { subentity.parent.set(ownCopy) }
    parent.set(former.superentityName.flatMap { byName[$0] })
  }

  /// Runs `body`, which may change the entity although its model was in use.
  func whileEditable(_ body: () -> Void) {
    let wasFrozen = isFrozen
    isFrozen = false
    body()
    isFrozen = wasFrozen
  }
}

extension RelationshipDescription {
  fileprivate func dissolve() {
    let inverse = inverseRelationship
    let former = FormerLink(
      destinationName: destinationEntity?.name, inverseName: inverse?.name,
      isOwnInverse: inverse === self)
    setLink(destination: nil, inverse: nil)
    formerLink = former
  }

  fileprivate func restoreLink(from byName: [String: EntityDescription]) {
    guard let former = formerLink,
      let destination = former.destinationName.flatMap({ byName[$0] })
    else { return }
    let inverse = former.inverseName.flatMap { destination.relationshipsByName[$0] }
    setLink(destination: destination, inverse: inverse)
    formerLink = former
  }

  /// Lets go of the copies before the model that owns them goes: else it would take this relationship for a survivor.
  func releaseRemains() {
    if remains != nil { setLink(destination: nil, inverse: nil) }
  }

  private func setLink(destination: EntityDescription?, inverse: RelationshipDescription?) {
    let wasFrozen = isFrozen
    isFrozen = false
    destinationEntity = destination
    inverseRelationship = inverse
    isFrozen = wasFrozen
  }
}
