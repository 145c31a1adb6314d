// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Objects whose context is gone: a mistake of the program, which keeps its objects longer than the context. What such
// an object has read it still has. What it would have to read nobody can read any more: to go on with nil or zero
// would be to go on with a wrong value, and there is no context left that could refuse to save it.
extension ManagedObject {
  /// The memory of an object whose context is gone, as it was read or was about to be; nil for an object that never had
  /// a context or has left it.
  @inline(never) final func memoryOfOrphan() -> UnsafeMutableRawPointer? {
    guard flags.contains(.orphaned) else { return nil }
    guard let row else { endOrphan("its values were never read") }
    // Nobody is told that the object awakes: its class would look at others.
    memory = row.base
    return memory
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
