// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Attribute values as `Value`s: for validation, comparison and keyed access.
extension PropertyValues {
  /// The slots of persistent attributes whose values differ from the record's.
  func changedStoredSlots() -> [RowSlot] {
    guard let row = owner.row, let snapshot = owner.snapshot, !row.isIdentical(to: snapshot) else {
      return []
    }
    return owner.binding.slotPlan.stored.filter {
      $0.kind != .reference && owner.changedSlots.contains($0.index)
        && !row.equals(snapshot, at: $0)
    }
  }

  /// The relationships whose destinations differ from those in the store.
  func changedRelationships() -> [RelationshipDescription] {
    guard !owner.links.isEmpty, !owner.changedLinks.isEmpty else { return [] }
    return owner.binding.relationships.filter { relationship in
      guard owner.changedLinks.contains(relationship.ordinal), !relationship.isTransient else {
        return false
      }
      switch owner.links[relationship.ordinal] {
      case .unloaded: return false
      case .toMany(let links): return links.hasChanges
      case .toOne(let object):
        return object?.identity.current != committedDestination(relationship)
      }
    }
  }
}

extension PropertyValues {
  /// Returns the row of a partial fetch for this fault, if it has the slot.
  func partialRow(having slot: RowSlot) -> Row? {
    guard owner.memory == nil, owner.row == nil, !owner.flags.contains(.inaccessible),
      let group = owner.fetchGroup as? PartialRows
    else { return nil }
    return group.row(of: owner, having: slot)
  }
}

// A property that could not be read cannot be set either, as the new value may depend on the read: `count += 1` would
// write 1.
extension PropertyValues {
  /// Throws when the values, or a to-many relationship, could not be read and were not refreshed since.
  func requireRead(_ key: String?) throws(PersistenceError) {
    guard let failures = owner.context?.unthrown.readFailures, !failures.isEmpty,
      failures.bars(owner.identity, key),
      let error = failures.error
    else { return }
    throw error
  }
}
