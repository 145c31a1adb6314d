// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel
package import RoostObjects
import RoostQuery

// The steps of a change: the live query reports it, the results are divided into sections and compared, and the
// delegate and the snapshot readers are informed.
extension FetchedResultsController {
  /// Returns the results after each change from now on, as values that can be awaited in any task. The first snapshot
  /// is the current one, once ``performFetch()`` was called.
  ///
  /// The sequence ends with the controller. A reader that is slower than the changes finds the newest snapshot, whose
  /// ``FetchedResultsSnapshot/reconfiguredItemIdentifiers`` are those since the last one that it has read.
  ///
  /// - Complexity: O(results) for each snapshot, and room for one that is not read yet.
  public func snapshots() -> AsyncStream<FetchedResultsSnapshot> {
    let mailbox = LiveMailbox<FetchedResultsSnapshot>(capacity: nil) { $0.append($1) }
    readers.removeAll { $0.mailbox == nil }
    readers.append(SnapshotReader(mailbox: mailbox))
    if let sections { mailbox.offer(FetchedResultsSnapshot(sections)) }
    return AsyncStream {
      while !Task.isCancelled {
        switch mailbox.take() {
        case .update(let snapshot): return snapshot
        case .end: return nil
        case .nothing: await mailbox.wait()
        }
      }
      return nil
    }
  }

  /// Whether the controller tracks changes (B315).
  private var isFollowed: Bool {
    if !followsOnlyForListeners || readers.contains(where: { $0.mailbox != nil }) { return true }
    guard delegate != nil else { return false }
    return missing.count < FetchedResultsCallback.allCases.count
  }

  private func change(to new: [ResultType], touched: Set<ObjectIdentifier>) throws {
    let difference = FetchedResultsDifference(
      from: (fetchedObjects ?? [], sections ?? []), to: (new, try makeSections(of: new)),
      touched: touched)
    updateError = nil
    guard !difference.isEmpty else { return }
    tell(difference)
    for reader in readers { reader.mailbox?.offer(difference.snapshot) }
  }
}

/// A reader of snapshots: the sequence that it reads holds the mailbox.
struct SnapshotReader {
  weak var mailbox: LiveMailbox<FetchedResultsSnapshot>?
}

// MARK: - Listening

extension FetchedResultsController: LiveListener {
  /// Handles a change of the results (B318).
  package func liveQuery(_ query: LiveQuery, did step: LiveStep) {
    guard query === self.query, isFollowed, !isFetching else { return }
    do {
      let concerned = step.change.refreshed.union(step.change.inserted.lazy.map(\.id))
      let touched = step.new.lazy.filter { concerned.contains($0.objectID) }
      try change(to: typed(step.new), touched: Set(touched.map { ObjectIdentifier($0) }))
    } catch {
      // An error here must not fail the program's save.
      updateError = .wrapping(error, .persistentStoreOperation)
    }
  }

  /// Handles a failed read of the results.
  package func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
    if query === self.query, isFollowed { updateError = error }
  }

  /// Handles invalidation: none of the fetched objects can be used any more (B320).
  package func liveQueryWasInvalidated(_ query: LiveQuery) {
    guard query === self.query else { return }
    managedObjectContext.unfollow(query, for: self)
    (fetchedObjects, sections, places, self.query) = (nil, nil, [:], nil)
  }
}

// MARK: - Telling

extension FetchedResultsController {
  private func wants(_ callback: FetchedResultsCallback) -> Bool { !missing.contains(callback) }

  /// Calls the delegate: with a snapshot if it takes one, otherwise with the individual changes (B316, B319).
  private func tell(_ difference: FetchedResultsDifference<ResultType>) {
    guard let delegate else { return adopt(difference.new, difference.newSections) }
    if wants(.snapshot) {
      adopt(difference.new, difference.newSections)
      delegate.controller(self, didChangeContentWith: difference.snapshot)
      if wants(.snapshot) { return }
      adopt(difference.old, difference.oldSections)
    }
    delegate.controllerWillChangeContent(self)
    adopt(difference.new, difference.newSections)
    if sectionNameKeyPath == nil {
      delegate.controller(self, didChangeContentWith: difference.identifiers)
    } else {
      missing.insert(.difference)
    }
    if sectionNameKeyPath == nil { missing.insert(.section) }
    for change in difference.sectionChanges {
      delegate.controller(
        self, didChange: change.section, atSectionIndex: change.index, for: change.type)
    }
    for change in difference.changes {
      delegate.controller(
        self, didChange: change.object, at: change.from, for: change.type, newIndexPath: change.to)
    }
    delegate.controllerDidChangeContent(self)
    if !isFollowed { adopt(difference.old, difference.oldSections) }
  }
}
