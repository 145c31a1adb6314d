// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The transient properties of an entity whose changes do not mark the object and its context as changed (B59).
struct IgnoredChanges {
  private var slots = PropertyMask()
  private var relationships = PropertyMask()
  /// Whether there are none, as for nearly all classes.
  private(set) var isEmpty = true

  init(entity: EntityDescription, objectClass: ManagedObject.Type) {
    guard objectClass != ManagedObject.self else { return }
    for attribute in entity.attributesInOrder
    where attribute.isTransient && objectClass.contextShouldIgnoreChanges(forKey: attribute.name) {
      for slot in attribute.slots { slots.insert(slot.index) }
      isEmpty = false
    }
    for relationship in entity.relationshipsInOrder
    where relationship.isTransient
      && objectClass.contextShouldIgnoreChanges(forKey: relationship.name)
    {
      relationships.insert(relationship.ordinal)
      isEmpty = false
    }
  }

  func contains(slot: RowSlot) -> Bool { slots.contains(slot.index) }

  func contains(_ relationship: RelationshipDescription) -> Bool {
    relationships.contains(relationship.ordinal)
  }
}

extension EntityBinding {
  /// Whether a write to a slot does not count as a change.
  func ignoresChange(ofSlot slot: RowSlot) -> Bool {
    !ignoredChanges.isEmpty && ignoredChanges.contains(slot: slot)
  }

  /// Whether a write to a relationship does not count as a change.
  func ignoresChange(of relationship: RelationshipDescription) -> Bool {
    !ignoredChanges.isEmpty && ignoredChanges.contains(relationship)
  }
}
