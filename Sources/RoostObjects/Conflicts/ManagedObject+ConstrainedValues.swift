// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// A uniqueness constraint names attributes and to-one relationships: what an object has for one of them.
extension ManagedObject {
  /// The value of an attribute or the destination of a to-one relationship, as a conflict shows it; nil when there is
  /// no such property or the object has no values.
  final func constrainedValue(forKey key: String) -> Any? {
    if let relationship = binding.relationship(named: key) {
      return destination(relationship.ordinal) ?? NSNull()
    }
    guard let attribute = binding.attribute(named: key), let row else { return nil }
    return attribute.value(in: row).anyValue ?? NSNull()
  }

  /// Whether both objects have the same value or destination in memory.
  final func hasEqualConstrainedValue(forKey key: String, as other: ManagedObject) -> Bool {
    if let own = binding.relationship(named: key) {
      guard let their = other.binding.relationship(named: key) else { return false }
      return destination(own.ordinal) === other.destination(their.ordinal)
    }
    guard let own = binding.attribute(named: key), let row,
      let their = other.binding.attribute(named: key), let otherRow = other.row
    else { return false }
    return own.value(in: row) == their.value(in: otherRow)
  }

  /// Gives the object the value or destination back that it was read with.
  final func revertConstrainedValue(forKey key: String) {
    guard let snapshot else { return }
    if let relationship = binding.relationship(named: key) {
      let committed = committedDestination(relationship).flatMap { context?.object(with: $0) }
      setDestination(relationship, committed)
      return
    }
    for slot in binding.attribute(named: key)?.slots ?? [] {
      guard willWrite(slot) != nil else { continue }
      row?.copySlot(slot, from: snapshot)
    }
  }
}
