// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostCoordinator
import RoostModel

extension ManagedObjectContext {
  /// Whether the context automatically merges others' saves: every commit of its coordinator, or, for a child, all
  /// that its parent saves and merges.
  ///
  /// A context of the main queue, and one that has run a closure of `perform` or `performAndWait`, merges on its
  /// queue as soon as a save is announced, whether it is used or not; from then on it must be used on its queue only.
  /// So does a context without a parent that was created by Core Data's names, until it is used without its queue.
  /// Any other context is used by its owner alone, without a queue that excludes other threads; it merges at its next
  /// use: before a fetch or a save, and in ``processPendingChanges()``. The property may be set from any thread.
  ///
  /// It cannot be combined with a pinned snapshot: the next save throws `invalidRequest` then.
  public var automaticallyMergesChangesFromParent: Bool {
    get { inbox.hears }
    set {
      guard newValue != inbox.hears else { return }
      guard !newValue || !upstream.isPinned else {
        return onOwnQueue {
          $0.readErrors.refuse(
            PersistenceError(
              .invalidRequest, "A context that reads one snapshot cannot merge saves of others."))
        }
      }
      inbox.hears = newValue
      if newValue, queue.isWatched || queue.isUnused { merger.wakeOnQueue() }
      guard parentContext == nil, let coordinator = persistentStoreCoordinator else { return }
      if newValue { coordinator.addObserver(inbox) } else { coordinator.removeObserver(inbox) }
    }
  }
}
