// SPDX-License-Identifier: Apache-2.0

// The lifetime of objects used by a block on the context's queue.
extension ManagedObjectContext {
  /// Runs a block of the context's queue, and keeps the objects registered meanwhile alive until its end, if the
  /// context follows Core Data (B357).
  func runBlock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard followsCoreData, blockObjects == nil else { return try body() }
    blockObjects = []
    defer {
      // Released after `blockObjects` is nil: releasing the last of them may fetch it again.
      let kept = blockObjects
      blockObjects = nil
      withExtendedLifetime(kept) {}
    }
    return try body()
  }

  /// Makes the context follow Core Data's rules where Roost's differ: objects used by a block of the queue live until
  /// its end, as if held by an autorelease pool; numbers for string attributes are compared by their text; a save
  /// without changes posts notifications; objects of a reset context are faults; and an unused context merges on its
  /// queue. Call it before the context is used.
  package func followCoreData() {
    followsCoreData = true
    awaitUser()
  }
}
