// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Objects whose context is gone: an error in the program, which keeps its objects longer than the context. Such an
// object still has the values that it has read, but cannot read any others: continuing with nil or zero would mean
// continuing with a wrong value, and there is no context left that could refuse to save it.
extension OrphanState {
  /// Returns the memory of an object without a context, as it was read or about to be read. Without memory it returns
  /// nil, or ends the program if the context is gone.
  @inline(never) func memoryOfOrphan() -> UnsafeMutableRawPointer? {
    guard owner.flags.contains(.orphaned) else {
      owner.memory = owner.row?.base
      return owner.memory
    }
    guard let row = owner.row else { endOrphan("its values were never read") }
    // awakeFromFetch is not called: the class would access other objects.
    owner.memory = row.base
    return owner.memory
  }

  /// Turns an object that has left its context into a fault with the values last read or saved. A never-saved object
  /// has no such values, and keeps its current ones.
  func becomeFaultOfItself() {
    guard owner.memory != nil, let snapshot = owner.snapshot else { return }
    owner.row = snapshot
    owner.memory = nil
  }

  /// Ends the program when a relationship is read whose destinations were released with the context.
  @inline(__always) func requireContext(toRead relationship: RelationshipDescription) {
    if owner.flags.contains(.orphaned) { endOrphan("\(relationship.name) cannot be read") }
  }

  /// Fails an assertion in a debug build: the change would be lost.
  func noteChangeOfOrphan() {
    assert(
      !owner.flags.contains(.orphaned),
      "\(owner) is changed, but its context is gone: the change will never be saved. Keep the context as long as its "
        + "objects.")
  }

  private func endOrphan(_ reason: String) -> Never {
    preconditionFailure(
      "\(owner) is used, but its context is gone, and \(reason). Keep the context as long as its objects."
    )
  }
}

// Leaving the context.
extension OrphanState {
  /// Detaches the object from a context that goes away.
  func outliveContext() {
    leaveContext()
    owner.settled.removeAll()
    if !owner.flags.contains(.gone) { owner.flags.insert(.orphaned) }
  }

  /// Releases the context and the related objects.
  func leaveContext() {
    owner.fetchedProperties.forgetFetchedValues()
    if owner.flags.contains(.observed) { owner.context?.eventState.observation?.remove(owner) }
    owner.context = nil
    owner.links = LinkStates()
    owner.fetchGroup = nil
  }
}
