// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Objects whose context is gone: a mistake of the program, which keeps its objects longer than the context. What such
// an object has read it still has. What it would have to read nobody can read any more: to go on with nil or zero
// would be to go on with a wrong value, and there is no context left that could refuse to save it.
extension ManagedObject {
  /// The memory of an object without a context, as it was read or was about to be; nil where there is none, unless its
  /// context is gone.
  @inline(never) final func memoryOfOrphan() -> UnsafeMutableRawPointer? {
    guard flags.contains(.orphaned) else {
      memory = row?.base
      return memory
    }
    guard let row else { endOrphan("its values were never read") }
    // Nobody is told that the object awakes: its class would look at others.
    memory = row.base
    return memory
  }

  /// Turns an object that has left its context into a fault that is read as it was read or saved last. One that was
  /// never saved has no such values, and keeps its own.
  final func becomeFaultOfItself() {
    guard memory != nil, let snapshot else { return }
    row = snapshot
    memory = nil
  }

  /// Ends the program when a relationship is read whose destinations went with the context.
  @inline(__always) final func requireContext(toRead relationship: RelationshipDescription) {
    if flags.contains(.orphaned) { endOrphan("\(relationship.name) cannot be read") }
  }

  /// Says, in a debug build, that a change is lost.
  final func noteChangeOfOrphan() {
    assert(
      !flags.contains(.orphaned),
      "\(self) is changed, but its context is gone: the change will never be saved. Keep the context as long as its "
        + "objects.")
  }

  private final func endOrphan(_ reason: String) -> Never {
    preconditionFailure(
      "\(self) is used, but its context is gone, and \(reason). Keep the context as long as its objects."
    )
  }
}
