// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// Applying delete rules (B84 to B88): level by level, so that a chain of a million objects needs no deep stack, and a
// level reads what it needs in one request a relationship.
extension ManagedObjectContext {
  /// Notes a deletion whose rules are still to be applied.
  func markDeleted(_ object: ManagedObject) {
    guard !object.isLeaving else { return }
    changes.noteDeletion(of: object)
    changes.unpropagated.append(object)
  }

  /// Applies the delete rules until no deletion is left over.
  ///
  /// - Throws: What a store throws where the rules need to know more; the deletions whose rules need it wait, for the
  ///   next call.
  func propagateDeletes() throws(PersistenceError) {
    while !changes.unpropagated.isEmpty {
      // A deletion that was taken back has no consequences.
      let level = ContiguousArray(
        changes.unpropagated.filter {
          !$0.flags.contains(.propagated) && $0.context === self && $0.isLeaving
        })
      changes.unpropagated = []
      do {
        try readForPropagation(level)
      } catch {
        changes.unpropagated = level + changes.unpropagated
        throw error
      }
      level.forEachHeld { object in
        guard !object.flags.contains(.propagated) else { return }
        object.flags.insert(.propagated)
        for step in object.binding.deletion.steps { propagate(step, of: object) }
      }
      // What was never saved leaves no trace (B89).
      level.forEachHeld { if !$0.flags.contains(.deleted) { forget($0) } }
    }
    if readFailures.waitingDeletions != nil { readFailures.waitingDeletions = nil }
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
      object.severAll(relationship)
    case .cascade:
      for destination in object.allDestinations(relationship)
      where !destination.isLeaving && destination.context === self {
        destination.prepareForDeletion()
        markDeleted(destination)
      }
      object.severAll(relationship)
    default:
      // Deny is judged by the validation (B87), no action leaves the destinations as they are (B88).
      break
    }
  }

  /// Whether the record of a to-one source is all that knows of the relationship: nobody has to be told that it goes.
  private func leavesNothingBehind(_ step: DeletionPlan.Step, of object: ManagedObject) -> Bool {
    // An undo has to find the way back.
    guard !changes.isRecording, let slot = step.slot, object.hasUnloaded(step.relationship),
      let row = object.row
    else { return false }
    guard let key = row.reference(slot), step.hasInverse else { return true }
    guard step.sparesInverse, let id = destinationID(forKey: key, from: object)
    else { return false }
    return registry.object(for: id) == nil
  }

  /// Reads rows and destinations that the rules of a level need, one request a relationship.
  private func readForPropagation(
    _ level: ContiguousArray<ManagedObject>
  ) throws(PersistenceError) {
    var faults = ContiguousArray<ManagedObject>()
    level.forEachHeld { if $0.isFault { faults.append($0) } }
    if !faults.isEmpty { try realize(faults) }
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
        guard object.hasUnloaded(relationship) else { continue }
        sources[ObjectIdentifier(relationship), default: []].append(object)
        relationships[ObjectIdentifier(relationship)] = relationship
      }
    }
    for (id, objects) in sources {
      guard let relationship = relationships[id] else { continue }
      try loadDestinations(of: relationship, for: objects)
    }
  }

  /// Destinations whose own rows change, or whose rules come next, are read together.
  private func realizeDestinations(of level: ContiguousArray<ManagedObject>)
    throws(PersistenceError)
  {
    var wanted = ContiguousArray<ManagedObject>()
    for object in level where object.binding.deletion.needsValues {
      for step in object.binding.deletion.steps where step.needsValues {
        wanted.append(contentsOf: object.allDestinations(step.relationship).lazy.filter(\.isFault))
      }
    }
    if !wanted.isEmpty { try realize(wanted) }
  }
}

extension ManagedObject {
  /// Whether the object was deleted already: it has the mark, or it was never saved and will not be (B89).
  final var isLeaving: Bool {
    flags.contains(.deleted) || row != nil && snapshot == nil && !flags.contains(.inserted)
  }

  /// The destinations of any relationship as a list.
  final func allDestinations(_ relationship: RelationshipDescription)
    -> ContiguousArray<ManagedObject>
  {
    if relationship.isToMany { return destinations(relationship) }
    return destination(relationship.ordinal).map { [$0] } ?? []
  }

  /// Ends the relationship with all destinations: the last one first, so that an ordered one has none to move up.
  final func severAll(_ relationship: RelationshipDescription) {
    for destination in allDestinations(relationship).reversed() { sever(relationship, destination) }
  }

  /// Ends the relationship with one destination, on both sides.
  final func sever(_ relationship: RelationshipDescription, _ destination: ManagedObject) {
    if relationship.isToMany {
      removeDestination(relationship, destination)
    } else {
      setDestination(relationship, nil)
    }
  }
}
