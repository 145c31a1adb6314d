// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Objects whose context is gone: a mistake of the program, which keeps its objects longer than the context. What such
// an object has read it still has. What it would have to read nobody can read any more: to go on with nil or zero
// would be to go on with a wrong value, and there is no context left that could refuse to save it.
extension OrphanState {
  /// The memory of an object without a context, as it was read or was about to be; nil where there is none, unless its
  /// context is gone.
  @inline(never) func memoryOfOrphan() -> UnsafeMutableRawPointer? {
    guard owner.flags.contains(.orphaned) else {
      owner.memory = owner.row?.base
      return owner.memory
    }
    guard let row = owner.row else { endOrphan("its values were never read") }
    // Nobody is told that the object awakes: its class would look at others.
    owner.memory = row.base
    return owner.memory
  }

  /// Turns an object that has left its context into a fault that is read as it was read or saved last. One that was
  /// never saved has no such values, and keeps its own.
  func becomeFaultOfItself() {
    guard owner.memory != nil, let snapshot = owner.snapshot else { return }
    owner.row = snapshot
    owner.memory = nil
  }

  /// Ends the program when a relationship is read whose destinations went with the context.
  @inline(__always) func requireContext(toRead relationship: RelationshipDescription) {
    if owner.flags.contains(.orphaned) { endOrphan("\(relationship.name) cannot be read") }
  }

  /// Says, in a debug build, that a change is lost.
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

// How an object leaves its context.
extension OrphanState {
  /// Stays behind when the context goes away.
  func outliveContext() {
    leaveContext()
    owner.settled.removeAll()
    if !owner.flags.contains(.gone) { owner.flags.insert(.orphaned) }
  }

  /// Lets go of the context, and of the objects that this one is related to.
  func leaveContext() {
    owner.fetchedProperties.forgetFetchedValues()
    if owner.flags.contains(.observed) { owner.context?.eventState.observation?.remove(owner) }
    owner.context = nil
    owner.links = LinkStates()
    owner.fetchGroup = nil
  }
}
