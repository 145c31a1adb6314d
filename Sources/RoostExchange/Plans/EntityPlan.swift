// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The properties of an entity that are written to files and read from them.
package struct EntityPlan {
  let entity: EntityDescription
  /// The stored attributes that are not derived.
  let attributes: [AttributeDescription]
  let relationships: [RelationshipDescription]
  /// The attributes and relationships by their names.
  let properties: [String: PropertyDescription]
  /// The uniqueness constraints that can name a record.
  let keys: [EntityKey]

  /// - Parameters:
  ///   - entity: The entity.
  ///   - leftOut: The properties that are omitted; a key with one of them cannot name a record.
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
  /// Whether the relationship is written to JSON lines: each pair once, on the side that is ordered or required, and
  /// on both if both are.
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

  /// Whether CSV cannot represent the relationship.
  var isLostInCSV: Bool {
    isToMany && isWrittenToLines
  }

  /// Whether a record requires a destination to be saved.
  var needsDestinations: Bool { !isOptional || isToMany && minCount > 0 }

  private func isNamedBefore(_ other: RelationshipDescription) -> Bool {
    let (mine, others) = (entity?.name ?? "", other.entity?.name ?? "")
    if mine != others { return UTF8Order.isLess(mine, others) }
    return UTF8Order.isLess(name, other.name)
  }
}

extension Sequence<EntityDescription> {
  /// The entities in an order in which required destinations come first, otherwise by name.
  var inOrderOfNeed: [EntityDescription] {
    let sorted = sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
    var result: [EntityDescription] = []
    var seen = Set<ObjectIdentifier>()
    // Iterative, since the depth is that of a chain of entities. An entity is appended after its destinations.
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
        // Required destinations are pushed last, so they are visited first.
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
