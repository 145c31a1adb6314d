// SPDX-License-Identifier: Apache-2.0

// How long objects live that a block of a context's queue comes across.
extension ManagedObjectContext {
  /// Runs a block of the context's queue, and keeps the objects that it comes across alive to its end if that is
  /// wanted (B357).
  func runBlock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard followsCoreData, blockObjects == nil else { return try body() }
    blockObjects = []
    defer {
      // They go when nothing is kept any more: the last of them may be fetched anew while it goes.
      let kept = blockObjects
      blockObjects = nil
      withExtendedLifetime(kept) {}
    }
    return try body()
  }

  /// Makes the context follow Core Data's rules where Roost has others: objects that a block of the queue comes across
  /// live to its end, as where a pool holds them, numbers for string attributes are compared by their text, a save
  /// without changes is told, objects of a context that was reset are faults, and a context that nobody has used yet
  /// merges on its queue. Set before the context is used.
  package func followCoreData() {
    followsCoreData = true
    awaitUser()
  }
}
