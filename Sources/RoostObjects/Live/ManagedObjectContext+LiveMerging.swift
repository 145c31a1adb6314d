// SPDX-License-Identifier: Apache-2.0

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

  /// Calls a closure, on any thread, when something has arrived that the context will merge; nil to stop. For a context
  /// that merges on its queue nobody needs to know.
  ///
  /// - Returns: Whether the context has to be asked to merge.
  package func wakeWhenSavesArrive(_ wake: (@Sendable () -> Void)?) -> Bool {
    guard !queue.isWatched, !queue.isUnused else { return false }
    inbox.setWake(wake)
    return true
  }
}
