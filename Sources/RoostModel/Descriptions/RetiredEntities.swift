// SPDX-License-Identifier: Apache-2.0

/// The names of a relationship's destination and inverse before its model was deallocated.
struct FormerLink {
  let destinationName: String?
  let inverseName: String?
  let isOwnInverse: Bool
}

/// The names of an entity's superentity and subentities before its model was deallocated.
struct FormerRelatives {
  var superentityName: String?
  var subentityNames: [String] = []
}

/// Deallocation of a model's entities. They refer to one another in reference cycles, which are broken when the model
/// is deallocated.
///
/// An entity that is still referenced keeps its destinations, inverses and hierarchy as copies, which it retains and
/// which do not refer back to it. No copies are made when no entity is referenced.
enum RetiredEntities {
  /// Breaks the cycles, and gives surviving entities copies of the others.
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
  /// Clears the references to other entities, and records their names.
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

  /// Records the name of a superentity that is dissolved before the entity itself.
  private func dissolvedParent(_ identifier: ObjectIdentifier, name: String?) {
    former.superentityName = name
    parent.forget(identifier)
  }

  /// Restores the relationships to entities of the same names.
  ///
  /// - Parameter remains: The object that the relationships retain as long as they refer to its entities.
  fileprivate func restoreRelationships(
    from byName: [String: EntityDescription], keeping remains: ManagedObjectModel? = nil
  ) {
    for case let relationship as RelationshipDescription in declaredProperties {
      relationship.restoreLink(from: byName)
      relationship.remains = remains
    }
  }

  /// Gives the entity, which survives its model, copies of its related entities.
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

  /// Runs `body`, which may change the entity even though its model was in use.
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

  /// Releases the copies before the model that owns them; otherwise it would treat this relationship as a survivor.
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
