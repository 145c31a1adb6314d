// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel
package import RoostObjects
import RoostQuery

// The story of a change: the live query tells of it, the results are cut into sections and compared, who is told.
extension FetchedResultsController {
  /// Returns the results after each change from now on, as values that can be awaited in any task. The first is the one
  /// of now, once ``performFetch()`` was called.
  ///
  /// The sequence ends with the controller. Snapshots that are not read yet are kept.
  ///
  /// - Complexity: O(results) a snapshot.
  public func snapshots() -> AsyncStream<FetchedResultsSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedResultsSnapshot.self)
    continuations[(continuations.keys.max() ?? 0) + 1] = continuation
    if let sections { continuation.yield(FetchedResultsSnapshot(sections)) }
    return stream
  }

  /// Whether changes are followed (B315).
  private var isFollowed: Bool {
    if !followsOnlyForListeners || !continuations.isEmpty { return true }
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
    for (number, continuation) in continuations {
      if case .terminated = continuation.yield(difference.snapshot) { continuations[number] = nil }
    }
  }
}

// MARK: - Listening

extension FetchedResultsController: LiveListener {
  /// The results changed (B318).
  package func liveQuery(_ query: LiveQuery, did step: LiveStep) {
    guard query === self.query, isFollowed, !isFetching else { return }
    do {
      let concerned = step.change.refreshed.union(step.change.inserted.lazy.map(\.id))
      let touched = step.new.lazy.filter { concerned.contains($0.objectID) }
      try change(to: typed(step.new), touched: Set(touched.map { ObjectIdentifier($0) }))
    } catch {
      // The program's saves have nothing to do with it.
      updateError = .wrapping(error, .persistentStoreOperation)
    }
  }

  /// The results could not be read.
  package func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
    if query === self.query, isFollowed { updateError = error }
  }

  /// Nothing that was fetched can be used any more (B320).
  package func liveQueryWasInvalidated(_ query: LiveQuery) {
    guard query === self.query else { return }
    managedObjectContext.unfollow(query, for: self)
    (fetchedObjects, sections, places, self.query) = (nil, nil, [:], nil)
  }
}

// MARK: - Telling

extension FetchedResultsController {
  private func wants(_ callback: FetchedResultsCallback) -> Bool { !missing.contains(callback) }

  /// Calls the delegate: with a snapshot if it takes one, otherwise with the changes one by one (B316, B319).
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
