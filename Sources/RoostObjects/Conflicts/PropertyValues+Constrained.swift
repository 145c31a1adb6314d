// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Values of an object under a uniqueness constraint, which names attributes and to-one relationships.
extension PropertyValues {
  /// Returns the value of an attribute or the destination of a to-one relationship, in the form shown by a conflict;
  /// nil when there is no such property or the object has no values.
  func constrainedValue(forKey key: String) -> Any? {
    if let relationship = owner.binding.relationship(named: key) {
      return owner.related.destination(relationship.ordinal) ?? NSNull()
    }
    guard let attribute = owner.binding.attribute(named: key), let row = owner.row else {
      return nil
    }
    return attribute.value(in: row).anyValue ?? NSNull()
  }

  /// Whether two objects have the same values in memory under a constraint, and this one is not deleted.
  func collide(with other: ManagedObject, under constraint: [String]) -> Bool {
    guard !owner.flags.contains(.deleted) else { return false }
    return constraint.allSatisfy { hasEqualConstrainedValue(forKey: $0, as: other) }
  }

  /// Whether two objects have the same value or destination in memory.
  private func hasEqualConstrainedValue(forKey key: String, as other: ManagedObject) -> Bool {
    if let own = owner.binding.relationship(named: key) {
      guard let their = other.binding.relationship(named: key) else { return false }
      return owner.related.destination(own.ordinal) === other.related.destination(their.ordinal)
    }
    guard let own = owner.binding.attribute(named: key), let row = owner.row,
      let their = other.binding.attribute(named: key), let otherRow = other.row
    else { return false }
    return own.value(in: row) == their.value(in: otherRow)
  }

  /// Restores the committed value or destination of the object.
  func revertConstrainedValue(forKey key: String) {
    guard let snapshot = owner.snapshot else { return }
    if let relationship = owner.binding.relationship(named: key) {
      let committed = committedDestination(relationship).flatMap { owner.context?.object(with: $0) }
      owner.editor.setDestination(relationship, committed)
      return
    }
    for slot in owner.binding.attribute(named: key)?.slots ?? [] {
      guard owner.willWrite(slot) != nil else { continue }
      owner.row?.copySlot(slot, from: snapshot)
    }
  }
}
