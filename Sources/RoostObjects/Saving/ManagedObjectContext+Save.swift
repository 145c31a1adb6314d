// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

// The story of a save (B161): graph, one immutable value, stores, receipt, graph.
extension ManagedObjectContext {
  /// Writes all changes to their stores; each store takes all of its part or nothing.
  ///
  /// Nothing is touched until every object is valid. After an error all changes are still pending and the save can be
  /// tried again. After `commitOutcomeUnknown` new objects have permanent IDs: if the store did write, another
  /// attempt throws `managedObjectMerge` and writes nothing twice.
  ///
  /// ```swift
  /// try context.save()
  /// ```
  /// - Throws: ``PersistenceError``: `validationMultipleErrors` or the one failure, `managedObjectMerge` when a
  ///   record was changed by somebody else, `managedObjectConstraintMerge` when a unique value is taken,
  ///   both unless the ``mergePolicy`` resolves that,
  ///   `noStore`, `readOnlyStore`, `externalRelationship`, `persistentStoreIncompleteSave` when only some of several
  ///   stores took their part, `commitOutcomeUnknown`, what a property's setter could not throw, or
  ///   `readFailed` as long as there is a `readError`.
  /// - Complexity: One transaction a store, plus at most one query an entity to read what is changed but not read yet.
  ///   Without changes it does nothing; a context that was made by Core Data's names tells of it.
  @_disfavoredOverload
  public func save() throws {
    checkQueue()
    try throwUnthrown()
    let coordinator = try coordinator()
    invalidateRemovedStores()
    processPendingChanges()
    let hasWork = hasChanges || !watched.isEmpty || coordinator.hasPendingMetadata
    guard hasWork || tellEmptySave() else { return }
    try settle()
    if let parentContext {
      try saveToParent(parentContext)
    } else {
      try write(to: coordinator)
    }
  }

  /// Tells of a save without changes, where that is told; returns whether those who heard of it made some.
  private func tellEmptySave() -> Bool {
    guard followsCoreData else { return false }
    postWillSave()
    processPendingChanges()
    if hasChanges { return true }
    postDidSave(ObjectLists())
    return false
  }

  /// Steps 4 to 10: after a conflict that the merge policy resolved, they begin anew (B187).
  private func write(to coordinator: PersistentStoreCoordinator) throws {
    var checkpoint: GraphCheckpoint?
    do {
      try write(to: coordinator, &checkpoint)
    } catch {
      // What may have been written stays as it was written.
      if (error as? PersistenceError)?.mayHaveCommitted != true { checkpoint?.restore() }
      throw error
    }
  }

  /// - Parameter checkpoint: How the graph was before a policy touched it; nil once something was saved.
  private func write(
    to coordinator: PersistentStoreCoordinator, _ checkpoint: inout GraphCheckpoint?
  ) throws {
    var previous: ChangeSetBuilder?
    for attempt in 1...ManagedObjectContext.saveAttempts {
      try validate()
      try prepareRows()
      try throwUnthrown()
      let builder = try ChangeSetBuilder(
        context: self, coordinator: coordinator, reusing: previous)
      let request = try builder.build()
      let completion = SaveCompletion(context: self, builder: builder)
      switch try builder.naming({ try commit(request, of: builder, to: coordinator) }) {
      case .committed(let summary):
        completion.finish(summary, isComplete: true)
        outdatedRecords = []
        return
      case .conflicted(let conflicts):
        noteOutdated(conflicts)
        let resolver = ConflictResolver(context: self, builder: builder)
        guard attempt < ManagedObjectContext.saveAttempts else {
          throw try resolver.failure(conflicts)
        }
        if checkpoint == nil, mergePolicy.canTouchObjects {
          checkpoint = GraphCheckpoint(of: self)
        }
        try resolver.resolve(conflicts)
        try propagateDeletes()
        previous = builder
      case .incomplete(let summary, let error):
        completion.finish(summary, isComplete: false)
        checkpoint = nil
        if error.mayHaveCommitted { builder.settleIDs() }
        throw builder.naming(error)
      }
    }
  }

  /// Hands a request to the coordinator. If it may have been written, its new objects keep the IDs that they have in
  /// the store then: another attempt finds them there, and does not write them a second time.
  private func commit(
    _ request: CommitRequest, of builder: ChangeSetBuilder,
    to coordinator: PersistentStoreCoordinator
  ) throws -> CommitResult {
    do {
      return try coordinator.commit(request)
    } catch let error as PersistenceError where error.mayHaveCommitted {
      builder.settleIDs()
      throw error
    }
  }

  /// Validates what is about to be written. What could not be read for it is the reason of whatever fails then.
  func validate() throws(PersistenceError) {
    do {
      try SaveValidation.validate(in: self)
    } catch {
      try throwUnthrown()
      throw error
    }
  }

  /// How often a save that meets conflicts is tried: whoever is overtaken so often gives up.
  static let saveAttempts = 16

  /// Applies the delete rules and calls willSave until nothing changes any more (B162, B163).
  private func settle() throws(PersistenceError) {
    try propagateDeletes()
    joinUndoOfDeletions()
    if hasChanges { postWillSave() }
    // What its observers changed belongs to this save (B101).
    processPendingChanges()
    try propagateDeletes()
    var round = changes.entries
    for _ in 0..<ManagedObjectContext.willSaveRounds {
      changes.startListening()
      round.forEachHeld { object in
        guard object.hasChanges else { return }
        object.settled.removeAll()
        object.willSave()
      }
      processPendingChanges()
      try propagateDeletes()
      round = changes.stopListening()
      if round.isEmpty { return }
    }
    throw PersistenceError(
      .endlessWillSave, "willSave changed objects \(ManagedObjectContext.willSaveRounds) times.",
      objectIDs: round.compactMap { $0?.identity })
  }

  /// How often willSave may change what it was called for.
  static let willSaveRounds = 100

  /// Reads what has to be written but was never read, and gives ordered destinations their positions.
  private func prepareRows() throws(PersistenceError) {
    let changed = changes.faults(.updated)
    if !changed.isEmpty { try realize(changed) }
    let deleted = changes.faults(.deleted)
    if !deleted.isEmpty { try realize(deleted) }
    try PositionAssignment.assign(in: self)
  }
}

extension PersistenceError {
  /// Whether a store may have written although the save failed.
  fileprivate var mayHaveCommitted: Bool {
    code == .commitOutcomeUnknown || underlyingErrors.contains { $0.code == .commitOutcomeUnknown }
  }
}
