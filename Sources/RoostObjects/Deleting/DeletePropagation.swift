// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Applying delete rules (B84 to B88): level by level, so that a chain of a million objects needs no deep stack, and
// each level makes one request for each relationship.
extension DeletePropagation {
  /// Records a deletion whose rules are still to be applied.
  func markDeleted(_ object: ManagedObject) {
    guard !object.isLeaving else { return }
    context.changes.noteDeletion(of: object)
    context.changes.unpropagated.append(object)
  }

  /// Applies the delete rules until no deletion is left.
  ///
  /// - Throws: The error of a store that cannot answer a query of the rules; the affected deletions wait for the next
  ///   call.
  func propagateDeletes() throws(PersistenceError) {
    while !context.changes.unpropagated.isEmpty {
      let level = takeLevel()
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
      // Never-saved objects are forgotten (B89).
      level.forEachHeld { if !$0.flags.contains(.deleted) { context.forget($0) } }
    }
    if context.unthrown.readFailures.isWaiting {
      context.unthrown.readFailures.waitingDeletions = nil
    }
  }

  /// Returns and removes the deletions whose rules are to be applied.
  private func takeLevel() -> ContiguousArray<ManagedObject> {
    var level = context.changes.unpropagated
    context.changes.unpropagated = []
    // A deletion that was taken back has no consequences. Rarely is there one, so the list is seldom made anew.
    let own = Unmanaged.passUnretained(context).toOpaque()
    func isDue(_ object: ManagedObject) -> Bool {
      !object.flags.contains(.propagated) && object.contextReference?.toOpaque() == own
        && object.isLeaving
    }
    var areAllDue = true
    level.forEachHeld { if !isDue($0) { areAllDue = false } }
    if !areAllDue { level.removeAll { !isDue($0) } }
    return level
  }

  private func propagate(_ step: DeletionPlan.Step, of object: ManagedObject) {
    let relationship = step.relationship
    // A never-saved object is only forgotten, and no rule can deny that (B89).
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
      // Deny is checked by the validation (B87), no action leaves the destinations as they are (B88).
      break
    }
  }

  /// Whether only the row of a to-one source refers to the relationship: then no other object has to be updated.
  private func leavesNothingBehind(_ step: DeletionPlan.Step, of object: ManagedObject) -> Bool {
    // Undo needs the relationship.
    guard !context.changes.isRecording, let slot = step.slot,
      object.related.hasUnloaded(step.relationship),
      let row = object.row
    else { return false }
    guard let key = row.reference(slot), step.hasInverse else { return true }
    guard step.sparesInverse, let id = context.loader.destinationID(forKey: key, from: object)
    else { return false }
    return context.registry.object(for: id) == nil
  }

  /// Reads rows and destinations needed by the rules of a level, with one request for each relationship.
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

  /// Reads together the destinations whose own rows change, or whose rules come next.
  private func realizeDestinations(of level: ContiguousArray<ManagedObject>)
    throws(PersistenceError)
  {
    var wanted = ContiguousArray<ManagedObject>()
    for object in level where object.binding.deletion.needsValues {
      for step in object.binding.deletion.steps where step.needsValues {
        let faults = object.related.allDestinations(step.relationship).lazy.filter(\.isFault)
        // An unreachable destination keeps its side of the relationship, unless the rule is cascade (X45).
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
