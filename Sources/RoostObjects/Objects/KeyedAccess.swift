// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension KeyedAccess {
  /// The slow path of ``value(forKey:)``: for faults, observed objects, relationships, and attributes whose value is
  /// not directly in their slot.
  func foundValue(forKey key: String) throws -> Any? {
    if let relationship = owner.binding.relationship(named: key) {
      if owner.isObserved { owner.observers.tellRead(key) }
      guard relationship.isToMany else {
        return try owner.related.readDestination(relationship.ordinal)
      }
      let members = try owner.related.readLinks(relationship).members
      return relationship.isOrdered ? Array(members) : Set(members)
    }
    switch owner.binding.property(named: key) {
    case let property as FetchedPropertyDescription:
      return try owner.fetchedProperties.fetchedValue(of: property)
    case let attribute as AttributeDescription where attribute.type == .transformable:
      return try attribute.makeAny(from: owner.values.readValue(of: attribute))
    default: return try owner.exchangeValue(forKey: key).anyValue
    }
  }

  func setRelationship(
    _ relationship: RelationshipDescription, to value: Any?
  ) throws(PersistenceError) {
    let objects = try ManagedObject.objects(in: value, for: relationship, of: owner)
    try check(objects, for: relationship)
    try owner.values.requireRead(relationship.isToMany ? relationship.name : nil)
    try owner.related.readSides(of: relationship, to: objects)
    if relationship.isToMany {
      owner.editor.setDestinations(relationship, objects)
    } else {
      owner.editor.setDestination(relationship, objects.first)
    }
  }

  /// Checks that objects can be destinations of a relationship (B31, B72).
  func check(
    _ objects: ContiguousArray<ManagedObject>, for relationship: RelationshipDescription
  ) throws(PersistenceError) {
    for object in objects {
      guard object.context === owner.context, !object.flags.contains(.gone) else {
        throw PersistenceError(
          .differentContexts, "Objects of two contexts cannot be related.",
          entityName: owner.entity.name, key: relationship.name,
          objectIDs: [owner.identity, object.identity])
      }
      guard let wanted = relationship.destinationEntity, object.entity.isKindOf(entity: wanted)
      else {
        throw PersistenceError(
          .invalidValue, "The destination is of another entity than the relationship's.",
          entityName: owner.entity.name, key: relationship.name, objectIDs: [object.identity])
      }
    }
  }
}
