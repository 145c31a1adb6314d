// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Applying delete rules (B84 to B88): level by level, so that a chain of a million objects needs no deep stack, and a
// level reads what it needs in one request a relationship.
extension DeletePropagation {
  /// Notes a deletion whose rules are still to be applied.
  func markDeleted(_ object: ManagedObject) {
    guard !object.isLeaving else { return }
    context.changes.noteDeletion(of: object)
    context.changes.unpropagated.append(object)
  }

  /// Applies the delete rules until no deletion is left over.
  ///
  /// - Throws: What a store throws where the rules need to know more; the deletions whose rules need it wait, for the
  ///   next call.
  func propagateDeletes() throws(PersistenceError) {
    while !context.changes.unpropagated.isEmpty {
      // A deletion that was taken back has no consequences.
      let level = ContiguousArray(
        context.changes.unpropagated.filter {
          !$0.flags.contains(.propagated) && $0.context === context && $0.isLeaving
        })
      context.changes.unpropagated = []
      do {
        try readForPropagation(level)
      } catch {
        context.changes.unpropagated = level + context.changes.unpropagated
        throw error
      }
      level.forEachHeld { object in
        guard !object.flags.contains(.propagated) else { return }
        object.flags.insert(.propagated)
        for step in object.binding.deletion.steps { propagate(step, of: object) }
      }
      // What was never saved leaves no trace (B89).
      level.forEachHeld { if !$0.flags.contains(.deleted) { context.forget($0) } }
    }
    if context.unthrown.readFailures.isWaiting {
      context.unthrown.readFailures.waitingDeletions = nil
    }
  }

  private func propagate(_ step: DeletionPlan.Step, of object: ManagedObject) {
    let relationship = step.relationship
    // An object that was never saved leaves no trace, and nobody can deny that (B89).
    let isForgotten = !object.flags.contains(.deleted)
    switch step.rule {
    case .nullify,
      .deny where isForgotten,
      .noAction where isForgotten:
      if leavesNothingBehind(step, of: object) { return }
      object.editor.severAll(relationship)
    case .cascade:
      for destination in object.related.allDestinations(relationship)
      where !destination.isLeaving && destination.context === context {
        destination.prepareForDeletion()
        markDeleted(destination)
      }
      object.editor.severAll(relationship)
    default:
      // Deny is judged by the validation (B87), no action leaves the destinations as they are (B88).
      break
    }
  }

  /// Whether the record of a to-one source is all that knows of the relationship: nobody has to be told that it goes.
  private func leavesNothingBehind(_ step: DeletionPlan.Step, of object: ManagedObject) -> Bool {
    // An undo has to find the way back.
    guard !context.changes.isRecording, let slot = step.slot,
      object.related.hasUnloaded(step.relationship),
      let row = object.row
    else { return false }
    guard let key = row.reference(slot), step.hasInverse else { return true }
    guard step.sparesInverse, let id = context.loader.destinationID(forKey: key, from: object)
    else { return false }
    return context.registry.object(for: id) == nil
  }

  /// Reads rows and destinations that the rules of a level need, one request a relationship.
  private func readForPropagation(
    _ level: ContiguousArray<ManagedObject>
  ) throws(PersistenceError) {
    var faults = ContiguousArray<ManagedObject>()
    level.forEachHeld { if $0.isFault { faults.append($0) } }
    if !faults.isEmpty { try context.loader.realize(faults) }
    try readDestinations(of: level)
    try realizeDestinations(of: level)
  }

  private func readDestinations(
    of level: ContiguousArray<ManagedObject>
  ) throws(PersistenceError) {
    var sources: [ObjectIdentifier: [ManagedObject]] = [:]
    var relationships: [ObjectIdentifier: RelationshipDescription] = [:]
    for object in level where object.binding.deletion.needsDestinations && object.isKnownBelow {
      for step in object.binding.deletion.steps where step.needsDestinations {
        let relationship = step.relationship
        guard object.related.hasUnloaded(relationship) else { continue }
        sources[ObjectIdentifier(relationship), default: []].append(object)
        relationships[ObjectIdentifier(relationship)] = relationship
      }
    }
    for (id, objects) in sources {
      guard let relationship = relationships[id] else { continue }
      try context.loader.loadDestinations(of: relationship, for: objects)
    }
  }

  /// Destinations whose own rows change, or whose rules come next, are read together.
  private func realizeDestinations(of level: ContiguousArray<ManagedObject>)
    throws(PersistenceError)
  {
    var wanted = ContiguousArray<ManagedObject>()
    for object in level where object.binding.deletion.needsValues {
      for step in object.binding.deletion.steps where step.needsValues {
        let faults = object.related.allDestinations(step.relationship).lazy.filter(\.isFault)
        // What cannot be reached keeps its side, unless it would have to go as well (X45).
        if step.relationship.leadsAcrossStores, step.relationship.deleteRule != .cascade {
          wanted.append(contentsOf: faults.filter { context.loader.isReachable($0.identity) })
        } else {
          wanted.append(contentsOf: faults)
        }
      }
    }
    if !wanted.isEmpty { try context.loader.realize(wanted) }
  }
}
