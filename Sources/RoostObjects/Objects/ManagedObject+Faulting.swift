// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Fulfilling faults. One fault is never fulfilled alone: whoever was fetched together is read together.
extension ManagedObject {
  /// Reads the values; nil when there are none to be had.
  @usableFromInline final func fire() -> UnsafeMutableRawPointer? {
    if let memory { return memory }
    guard !flags.contains(.inaccessible) else { return nil }
    guard let context else { return nil }
    return context.fulfill(self)
  }

  /// Takes over a row, as a fault whose values are at hand.
  final func attach(_ fetched: Row) {
    row = fetched
    snapshot = fetched
  }

  /// Makes the attached row readable and runs awakeFromFetch.
  final func awake(with fetched: Row) -> UnsafeMutableRawPointer {
    // As a rule the row was attached before, and each reference more would be counted.
    if row?.storage !== fetched.storage || snapshot?.storage !== fetched.storage {
      attach(fetched)
    }
    let base = fetched.base
    memory = base
    flags.insert(.awakening)
    awakeFromFetch()
    flags.remove(.awakening)
    return memory ?? base
  }

  /// Turns the object into a fault and lets go of everything that it held (B46).
  final func turnIntoFault() {
    willTurnIntoFault()
    forgetFetchedValues()
    memory = nil
    row = nil
    snapshot = nil
    settled = 0
    links = LinkStates()
    if group is PartialRows { group = nil }
    changedSlots.removeAll()
    changedLinks.removeAll()
    didTurnIntoFault()
    tellReplacement()
  }
}
