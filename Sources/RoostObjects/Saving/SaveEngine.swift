// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension SaveEngine {
  /// Posts the notifications of a save without changes, if the context does so; returns whether observers made
  /// changes.
  func tellEmptySave() -> Bool {
    guard context.followsCoreData else { return false }
    context.events.postWillSave()
    context.processPendingChanges()
    if !context.changes.isEmpty { return true }
    context.events.postDidSave(ObjectLists())
    return false
  }

  /// Performs steps 4 to 10; after a conflict that the merge policy resolved, they are repeated (B187).
  func write(to coordinator: PersistentStoreCoordinator) throws {
    var checkpoint: GraphCheckpoint?
    var positions = AssignedPositions()
    do {
      try write(to: coordinator, &checkpoint, &positions)
    } catch {
      // A part that may have been committed stays as it was written.
      if (error as? PersistenceError)?.mayHaveCommitted != true {
        checkpoint?.restore()
        positions.takeBack(in: context)
      }
      throw error
    }
  }

  /// - Parameters:
  ///   - checkpoint: The state of the graph before a policy changed it; nil once a part was saved.
  ///   - positions: The positions in ordered relationships that the save has assigned.
  private func write(
    to coordinator: PersistentStoreCoordinator, _ checkpoint: inout GraphCheckpoint?,
    _ positions: inout AssignedPositions
  ) throws {
    var previous: ChangeSetBuilder?
    for attempt in 1...ManagedObjectContext.saveAttempts {
      if !context.saving.isUnchecked { try validate() }
      try prepareRows(&positions)
      try context.readErrors.throwUnthrown()
      let builder = try ChangeSetBuilder(
        context: context, coordinator: coordinator, reusing: previous)
      let request = try builder.build()
      let completion = SaveCompletion(context: context, builder: builder)
      let result: CommitResult
      do {
        result = try builder.naming { try commit(request, of: builder, to: coordinator) }
      } catch let error as PersistenceError
        where error.isOfRemovedForeignNumbers && attempt < ManagedObjectContext.saveAttempts
      {
        // The rows are made anew, with new numbers.
        previous = nil
        continue
      }
      switch result {
      case .committed(let summary):
        completion.finish(summary, isComplete: true)
        context.saving.outdatedRecords = []
        return
      case .conflicted(let conflicts):
        noteOutdated(conflicts)
        let resolver = ConflictResolver(context: context, objects: builder.objectsByID())
        guard attempt < ManagedObjectContext.saveAttempts else {
          throw try resolver.failure(conflicts)
        }
        if checkpoint == nil, context.mergePolicy.canTouchObjects {
          checkpoint = GraphCheckpoint(of: context)
          positions.isRecording = false
        }
        try resolver.resolve(conflicts)
        try context.deletion.propagateDeletes()
        previous = builder
      case .incomplete(let summary, let error):
        completion.finish(summary, isComplete: false)
        checkpoint = nil
        if error.mayHaveCommitted { builder.settleIDs() }
        throw builder.naming(error)
      }
    }
  }

  /// Passes a request to the coordinator. If it may have been committed, its new objects keep their IDs in the store:
  /// another attempt finds these records, and does not write them again.
  private func commit(
    _ request: CommitRequest, of builder: ChangeSetBuilder,
    to coordinator: PersistentStoreCoordinator
  ) throws -> CommitResult {
    do {
      return try context.asCaller { try coordinator.commit(request) }
    } catch let error as PersistenceError where error.mayHaveCommitted {
      context.hasCommitted = true
      builder.settleIDs()
      throw error
    }
  }

  /// Validates the objects to be written. If values for the validation could not be read, it throws the read error.
  func validate() throws(PersistenceError) {
    do {
      try SaveValidation.validate(in: context)
    } catch {
      try context.readErrors.throwUnthrown()
      throw error
    }
  }

  /// Applies the delete rules and calls willSave until nothing changes any more (B162, B163).
  func settle() throws(PersistenceError) {
    try context.deletion.propagateDeletes()
    context.undoRecorder.joinUndoOfDeletions()
    if !context.changes.isEmpty { context.events.postWillSave() }
    // Changes made by observers belong to this save (B101).
    context.processPendingChanges()
    try context.deletion.propagateDeletes()
    var round = context.changes.entries
    for _ in 0..<ManagedObjectContext.willSaveRounds {
      context.changes.startListening()
      round.forEachHeld { object in
        guard object.hasChanges else { return }
        object.settled.removeAll()
        object.willSave()
      }
      context.processPendingChanges()
      try context.deletion.propagateDeletes()
      round = context.changes.stopListening()
      if round.isEmpty { return }
    }
    throw PersistenceError(
      .endlessWillSave, "willSave changed objects \(ManagedObjectContext.willSaveRounds) times.",
      objectIDs: round.compactMap { $0?.identity })
  }

  /// Reads changed faults, and assigns positions to ordered destinations.
  private func prepareRows(_ positions: inout AssignedPositions) throws(PersistenceError) {
    let changed = context.changes.faults(.updated)
    if !changed.isEmpty { try context.loader.realize(changed) }
    let deleted = context.changes.faults(.deleted)
    if !deleted.isEmpty { try context.loader.realize(deleted) }
    try PositionAssignment.assign(in: context, noting: &positions)
  }
}
