// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// The story of a change: which objects it can concern, the results as they are now, how they differ, who is told.
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

  /// Whether anybody listens (B315).
  private var isFollowed: Bool {
    if !continuations.isEmpty { return true }
    guard delegate != nil else { return false }
    return missing.count < FetchedResultsCallback.allCases.count
  }

  /// An event ended in the context (B318).
  func contextDidChange(_ changes: ManagedObjectContext.ObjectChanges) {
    guard let live, let old = fetchedObjects else { return }
    guard !changes.hasInvalidatedAllObjects else {
      // Nothing that was fetched can be used any more (B320).
      (fetchedObjects, sections, places, self.live) = (nil, nil, [:], nil)
      return
    }
    guard isFollowed else { return }
    let touched = changes.insertedObjects.union(changes.updatedObjects)
      .union(changes.refreshedObjects).union(changes.deletedObjects)
    let isRelated = touched.contains { live.dependsOn($0) }
    let concerned = touched.filter { live.concerns($0) }.compactMap { $0 as? ResultType }
    guard isRelated || !concerned.isEmpty else { return }
    do {
      let new =
        isRelated || isWindowed
        ? try managedObjectContext.fetch(fetchRequest)
        : try moved(old, concerned, live)
      try change(to: new, touched: Set(concerned.map { ObjectIdentifier($0) }))
    } catch {
      // The program's saves have nothing to do with it.
      updateError = .wrapping(error, .persistentStoreOperation)
    }
  }

  /// Others' changes were merged: objects that match now may not have been registered when the event was told (B321).
  func contextDidMerge(_ changes: ManagedObjectContext.ObjectIDChanges) {
    guard let live, fetchedObjects != nil, isFollowed else { return }
    let ids = changes.insertedObjectIDs.union(changes.updatedObjectIDs)
      .union(changes.refreshedObjectIDs).union(changes.deletedObjectIDs)
    guard ids.contains(where: { live.concerns($0.entity) }) else { return }
    do {
      let new = try managedObjectContext.fetch(fetchRequest)
      let touched = new.filter { places[ObjectIdentifier($0)] == nil }
      try change(to: new, touched: Set(touched.map { ObjectIdentifier($0) }))
    } catch {
      updateError = .wrapping(error, .persistentStoreOperation)
    }
  }

  private var isWindowed: Bool {
    fetchRequest.fetchLimit > 0 || fetchRequest.fetchOffset > 0
  }

  /// The results without the changed objects, and with those of them that match now, where they belong now.
  private func moved(
    _ old: [ResultType], _ changed: [ResultType], _ live: LiveFetch
  ) throws -> [ResultType] {
    let leaving = Set(changed.map { ObjectIdentifier($0) })
    let matching = try changed.filter { try live.matches($0) }
    if fetchRequest.sortDescriptors?.isEmpty ?? true {
      // Without an order nothing moves; new objects come last.
      let known = Set(matching.map { ObjectIdentifier($0) })
      let staying = old.filter {
        !leaving.contains(ObjectIdentifier($0)) || known.contains(ObjectIdentifier($0))
      }
      return staying + matching.filter { places[ObjectIdentifier($0)] == nil }
    }
    let staying = old.filter { !leaving.contains(ObjectIdentifier($0)) }
    return try live.inserting(matching, into: staying)
  }

  private func change(to new: [ResultType], touched: Set<ObjectIdentifier>) throws {
    let difference = FetchedResultsDifference(
      from: (fetchedObjects ?? [], sections ?? []), to: (new, try makeSections(of: new)),
      touched: touched)
    updateError = nil
    guard !difference.isEmpty else { return }
    tell(difference)
    for (number, continuation) in continuations {
      // Once reading has stopped, changes are not followed any more (B315).
      if case .terminated = continuation.yield(difference.snapshot) { continuations[number] = nil }
    }
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
