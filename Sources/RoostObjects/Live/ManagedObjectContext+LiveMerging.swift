// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension ManagedObjectContext {
  /// Lets the context merge what others save, batch requests included, so that live results see it.
  ///
  /// - Parameter remote: Whether other coordinators and processes count, too; a child sees what its parent sees.
  /// - Throws: `invalidRequest` for a context that reads one snapshot.
  package func mergeForLiveResults(remote: Bool) throws {
    guard !upstream.isPinned else {
      throw PersistenceError(
        .invalidRequest,
        "A context that reads one snapshot cannot show what others save: use the scope "
          + "thisContext, or another context.")
    }
    automaticallyMergesChangesFromParent = true
    inbox.hearsBatchRequests = true
    if remote, parentContext == nil { HistoryMerging(of: self).isAutomatic = true }
  }

  /// Calls a closure, on any thread, when something has arrived that the context will merge.
  ///
  /// - Returns: What ``endWakes(_:)`` takes.
  package func beginWakes(_ wake: @escaping @Sendable () -> Void) -> Int {
    inbox.addReader(wake)
  }

  /// Ends what ``beginWakes(_:)`` began.
  package func endWakes(_ number: Int) {
    inbox.removeReader(number)
  }

  /// Merges what has arrived, where the context has no queue to do so by itself.
  package func mergeForReader() {
    guard !queue.isWatched, !inbox.isEmpty || upstreamState.removedStores?.isEmpty == false else {
      return
    }
    processPendingChanges()
  }
}
