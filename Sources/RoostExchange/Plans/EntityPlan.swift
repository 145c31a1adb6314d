// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What of an entity is written to files and read from them.
package struct EntityPlan {
  let entity: EntityDescription
  /// What stores keep and do not compute.
  let attributes: [AttributeDescription]
  let relationships: [RelationshipDescription]
  /// The attributes and relationships by their names.
  let properties: [String: PropertyDescription]
  /// The uniqueness constraints by which a record can be named: those of attributes that are one value each.
  let keys: [EntityKey]

  /// - Parameters:
  ///   - entity: The entity.
  ///   - leftOut: The properties that are not written; a key with one of them names no record.
  package init(_ entity: EntityDescription, without leftOut: Set<String> = []) {
    self.entity = entity
    attributes = entity.attributesInOrder.filter {
      $0.isStored && !($0 is DerivedAttributeDescription) && $0.type != .undefined
    }
    relationships = entity.relationshipsInOrder.filter { !$0.isTransient }
    properties = Dictionary(
      (attributes + relationships).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    keys = EntityKey.keys(of: entity).filter { leftOut.isDisjoint(with: $0.names) }
  }

  var name: String { entity.name ?? "" }

  /// Whether a record of the entity may have no key, so that its file needs IDs.
  var mayLackKey: Bool {
    guard let key = keys.first else { return true }
    return key.attributes.contains { $0.isOptional }
  }
}

// MARK: - Relationships

extension RelationshipDescription {
  /// Whether the relationship is written to files of JSON lines: each pair once, from the side that keeps the order or
  /// must not be empty, and from both where both do.
  var isWrittenToLines: Bool {
    guard !isTransient else { return false }
    guard let inverse = maintainedInverse, inverse !== self, !inverse.isTransient else {
      return true
    }
    switch (isToMany, inverse.isToMany) {
    case (false, true): return true
    case (true, false): return isOrdered || needsDestinations
    case (true, true):
      if isOrdered || inverse.isOrdered { return isOrdered }
      if needsDestinations != inverse.needsDestinations { return needsDestinations }
      return isNamedBefore(inverse)
    case (false, false):
      if needsDestinations != inverse.needsDestinations { return needsDestinations }
      return isNamedBefore(inverse)
    }
  }

  /// Whether files of CSV cannot hold what the relationship says.
  var isLostInCSV: Bool {
    isToMany && isWrittenToLines
  }

  /// Whether a record cannot be saved without a destination.
  var needsDestinations: Bool { !isOptional || isToMany && minCount > 0 }

  private func isNamedBefore(_ other: RelationshipDescription) -> Bool {
    let (mine, others) = (entity?.name ?? "", other.entity?.name ?? "")
    if mine != others { return UTF8Order.isLess(mine, others) }
    return UTF8Order.isLess(name, other.name)
  }
}

extension Sequence<EntityDescription> {
  /// The entities, those first to which others must lead, else by name.
  var inOrderOfNeed: [EntityDescription] {
    let sorted = sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
    var result: [EntityDescription] = []
    var seen = Set<ObjectIdentifier>()
    // Without recursion: as deep as a chain of entities. An entity is done when its destinations are.
    for start in sorted {
      var open: [(entity: EntityDescription, isEntered: Bool)] = [(start, false)]
      while let (entity, isEntered) = open.popLast() {
        if isEntered {
          result.append(entity)
          continue
        }
        guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
        open.append((entity, true))
        let needed = entity.relationshipsInOrder.filter { !$0.isToMany && $0.isWrittenToLines }
        // What must be there comes last here, so it is looked at first.
        for relationship in needed.sorted(by: { $0.isOptional && !$1.isOptional }) {
          guard let destination = relationship.destinationEntity else { continue }
          let names = Set(destination.concreteEntities.map { ObjectIdentifier($0) })
          for other in sorted.reversed() where names.contains(ObjectIdentifier(other)) {
            open.append((other, false))
          }
        }
      }
    }
    return result
  }
}
