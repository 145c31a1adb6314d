// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// Step 9 of a save: passes the conflicts of a commit to the merge policy, which brings the objects to a state that
/// can be written; then the save starts again with its fifth step.
struct ConflictResolver {
  let context: ManagedObjectContext
  /// The objects of the save, by their IDs in the store.
  let objects: [ObjectID: ManagedObject]

  /// Resolves conflicts.
  ///
  /// - Throws: The error of the policy; the error policy throws an error with all conflicts.
  func resolve(_ conflicts: [CommitConflict]) throws {
    let list = try mergeConflicts(conflicts) + constraintConflicts(conflicts)
    try context.mergePolicy.resolve(mergeConflicts: list as [Any])
    let unsettled = list.compactMap { $0 as? MergeConflict }.filter { !$0.isSettled }
    for conflict in unsettled {
      // The values set by an override of the policy take precedence.
      try conflict.settle(by: .mergeByPropertyObjectTrumpMergePolicyType)
    }
    context.saver.finishReplacing()
    for conflict in unsettled { conflict.tellObjects() }
  }

  /// Returns the error of the last attempt, when it meets conflicts again.
  func failure(_ conflicts: [CommitConflict]) throws -> PersistenceError {
    ConflictReport(try mergeConflicts(conflicts) + constraintConflicts(conflicts)).error
  }

  private func mergeConflicts(_ conflicts: [CommitConflict]) throws -> [any SaveConflict] {
    var result: [any SaveConflict] = []
    for case .version(let id, let expected, let current, let cached) in conflicts {
      let object = objects[id] ?? context.object(with: id)
      guard !object.flags.contains(.inserted) || object.snapshot != nil || expected != 0 else {
        throw PersistenceError(
          .managedObjectMerge, "The store has a record under the ID of a new object.",
          entityName: id.entity.name, objectIDs: [object.identity])
      }
      result.append(
        MergeConflict(source: object, expected: expected, current: current, cached: cached))
    }
    return result
  }

  /// Returns the uniqueness conflicts, grouped by constraint and values, in an order that does not depend on the
  /// store: those of changed records first, because a policy may remove the record that has the values, and no new
  /// object should have taken that one over before; then in the order of their first change.
  private func constraintConflicts(_ conflicts: [CommitConflict]) -> [any SaveConflict] {
    var groups: [Group] = []
    var places: [Group.Key: Int] = [:]
    for case .uniqueness(let id, let constraint, let entityName, let row, let holderID) in conflicts
    {
      guard let object = objects[id] else { continue }
      let pending = holderID.flatMap { objects[$0] }
      let known = pending ?? holderID.flatMap { context.registry.object(for: $0) }
      let isPending = pending.map { $0.values.collide(with: object, under: constraint) }
      let key = Group.Key(constraint: constraint, holderID: holderID)
      if let index = places[key] {
        groups[index].objects.append(object)
        continue
      }
      places[key] = groups.count
      var group = Group(constraint: constraint, entityName: entityName, objects: [object])
      if isPending == true, let pending {
        group.objects.insert(pending, at: 0)
      } else if let holderID, let row {
        let holder = known ?? context.materializer.makeFault(holderID)
        if holder.isFault { holder.attach(row) }
        (group.holder, group.row) = (holder, row)
      }
      groups.append(group)
    }
    return groups.sorted { $0.order < $1.order }.map(\.conflict)
  }

  private struct Group {
    var constraint: [String]
    var entityName: String
    var holder: ManagedObject?
    var row: Row?
    var objects: [ManagedObject]

    struct Key: Hashable {
      let constraint: [String]
      let holderID: ObjectID?
    }

    var order: (Int, Int, String) {
      let isOfNew = objects.allSatisfy { $0.flags.contains(.inserted) }
      let first = objects.lazy.map { Int($0.trackingIndex) }.min() ?? 0
      return (isOfNew ? 1 : 0, first, constraint.joined(separator: " "))
    }

    var conflict: ConstraintConflict {
      ConstraintConflict(
        constraint: constraint, entityName: entityName, database: holder, databaseRow: row,
        // Stores report them in any order; the conflict lists them in the order of their first change.
        conflicting: objects.sorted { $0.trackingIndex < $1.trackingIndex })
    }
  }
}
