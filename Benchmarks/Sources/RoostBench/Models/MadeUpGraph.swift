// SPDX-License-Identifier: Apache-2.0

import Roost

/// Objects for any model, in equal numbers for each entity, related to each other in a fixed way.
struct MadeUpGraph {
  let model: ManagedObjectModel
  /// The approximate number of objects.
  let objects: Int

  private var entities: [EntityDescription] {
    model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
  }

  /// Makes all objects in a context, without saving them.
  func make(in context: ManagedObjectContext) throws {
    let entities = entities
    guard !entities.isEmpty else {
      throw BenchError("The model has no entity that can have objects.")
    }
    let share = max(1, objects / entities.count)
    var made: [String: [ManagedObject]] = [:]
    for entity in entities {
      made[entity.name ?? ""] = try (0..<share).map { try make(entity, $0, in: context) }
    }
    for entity in entities {
      for relationship in entity.relationshipsInOrder where !relationship.isTransient {
        let destinations = entities.filter { candidate in
          relationship.destinationEntity.map(candidate.isKindOf) == true
        }.flatMap { made[$0.name ?? ""] ?? [] }
        guard !destinations.isEmpty else { continue }
        for (index, object) in (made[entity.name ?? ""] ?? []).enumerated() {
          try relate(object, index, relationship, destinations)
        }
      }
    }
  }

  private func make(
    _ entity: EntityDescription, _ index: Int, in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let object = ManagedObject(entity: entity, insertInto: context)
    for attribute in entity.attributesInOrder
    where !attribute.isTransient && !(attribute is DerivedAttributeDescription) {
      guard let value = MadeUpValue.value(attribute, index) else { continue }
      try object.setValue(value.anyValue, forKey: attribute.name)
    }
    return object
  }

  private func relate(
    _ object: ManagedObject, _ index: Int, _ relationship: RelationshipDescription,
    _ destinations: [ManagedObject]
  ) throws {
    let isInverseToOne = relationship.inverseRelationship.map { !$0.isToMany } ?? false
    if !relationship.isToMany {
      // One to one: the object at the same index, so that no object takes the partner of another.
      let place =
        isInverseToOne ? index : Scramble.below(destinations.count, index, 31)
      guard destinations.indices.contains(place) else { return }
      try object.setValue(destinations[place], forKey: relationship.name)
    } else if !isInverseToOne {
      let first = Scramble.below(destinations.count, index, 32)
      let second = (first + 1) % destinations.count
      let members = Set([destinations[first], destinations[second]])
      let value: Any = relationship.isOrdered ? Array(members) : members
      try object.setValue(value, forKey: relationship.name)
    }
  }
}
