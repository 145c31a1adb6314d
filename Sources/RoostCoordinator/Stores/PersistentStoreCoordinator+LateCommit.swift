// SPDX-License-Identifier: Apache-2.0

import Dispatch

extension PersistentStoreCoordinator {
  /// Tells the observers that a save of this coordinator has succeeded whose outcome was unknown when it ended.
  ///
  /// It was not told then, and who follows the histories passes over what this coordinator has written. Which records
  /// it wrote in all of its stores is not known any more, so all of them may be out of date.
  func announceLateCommit() {
    var changes = CommittedChanges()
    changes.outdatedStores = attachedStores.map(\.identity)
    changes.isRemote = true
    let found = changes
    // The part may be finished by a request of an observer, which waits for it.
    DispatchQueue.global().async {
      for observer in self.liveObservers() where observer.hearsCommits {
        observer.coordinator(self, didCommit: found)
      }
    }
  }
}

extension SaveRecovery {
  /// Notes that parts which this coordinator had left behind are not prepared any more.
  ///
  /// An undecided one may have been committed: by another coordinator, or at once, when only the answer was lost. If it
  /// was not, observers read again in vain.
  func noteEnded(_ remainders: [SaveRegistry.Remainder], in store: AttachedStore) {
    guard remainders.contains(where: { $0 != .decided(committing: false) }) else { return }
    // Derived attributes may have changed in records that the part does not name.
    store.cache.removeAll()
    guard remainders.contains(where: \.isUntold) else { return }
    coordinator.noteCommit()
    coordinator.announceLateCommit()
  }
}
