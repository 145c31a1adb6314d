// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension ManagedObjectContext {
  /// Makes the context merge other contexts' saves, including batch requests, so that live results reflect them.
  ///
  /// - Parameter remote: Whether to merge saves of other coordinators and processes, too; a child sees the data of
  ///   its parent.
  /// - Throws: `invalidRequest` for a context pinned to a snapshot.
  package func mergeForLiveResults(remote: Bool) throws {
    guard !upstream.isPinned else {
      throw PersistenceError(
        .invalidRequest,
        "A context that reads one snapshot cannot show saves of others: use the scope "
          + "thisContext, or another context.")
    }
    automaticallyMergesChangesFromParent = true
    inbox.hearsBatchRequests = true
    if remote, parentContext == nil { HistoryMerging(of: self).isAutomatic = true }
  }

  /// Calls a closure, on any thread, when changes have arrived that the context will merge.
  ///
  /// - Returns: The argument for ``endWakes(_:)``.
  package func beginWakes(_ wake: @escaping @Sendable () -> Void) -> Int {
    inbox.addReader(wake)
  }

  /// Ends the calls begun by ``beginWakes(_:)``.
  package func endWakes(_ number: Int) {
    inbox.removeReader(number)
  }

  /// Merges the changes that have arrived, if the context has no queue to merge on by itself.
  package func mergeForReader() {
    guard !queue.isWatched, !inbox.isEmpty || upstreamState.removedStores?.isEmpty == false else {
      return
    }
    processPendingChanges()
  }
}
