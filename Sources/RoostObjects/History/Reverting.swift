// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostModel
import RoostStore

/// Takes a transaction of the history back, as changes of a context that are not saved yet.
package struct Reverting {
  private let context: ManagedObjectContext

  package init(in context: ManagedObjectContext) {
    self.context = context
  }

  /// What was not done, and what was.
  package struct Outcome {
    /// Properties that were changed again since; nil for a record as a whole.
    package var conflicts: [Place] = []
    /// Relationships whose destinations are not there any more.
    package var missing: [Place] = []
    /// The records that have changes now.
    package var changed: Set<ObjectID> = []

    /// What was done of this transaction and another one; a place that both have left alone is named once.
    func union(_ other: Outcome) -> Outcome {
      Outcome(
        conflicts: Self.union(conflicts, other.conflicts),
        missing: Self.union(missing, other.missing), changed: changed.union(other.changed))
    }

    private static func union(_ first: [Place], _ second: [Place]) -> [Place] {
      let known = Set(first)
      return first + second.filter { !known.contains($0) }
    }

    /// A property of a record; nil for the record.
    package struct Place: Hashable {
      package var id: ObjectID
      package var property: String?
    }
  }

  /// Makes the inverse of a transaction. What was saved since is merged before.
  ///
  /// - Parameter isForced: Whether what was changed since is overwritten.
  /// - Throws: What ``CoordinatorHistory/basis(of:)`` throws, or what a store says; nothing is changed then but for
  ///   what was merged.
  package func revert(
    _ transaction: PersistentHistoryTransaction, isForced: Bool
  ) throws -> Outcome {
    context.checkQueue()
    guard context.parentContext == nil else {
      throw PersistenceError(
        .invalidRequest,
        "A transaction is taken back in a context of the coordinator, not in a child of another one."
      )
    }
    try context.upstream.requirePresent()
    let coordinator = try context.coordinator()
    let basis = try context.asCaller {
      try CoordinatorHistory(of: coordinator).basis(of: transaction)
    }
    mergeLater(basis)
    context.processPendingChanges()
    let checkpoint = GraphCheckpoint(of: context)
    do {
      var run = RevertRun(basis, in: context, isForced: isForced)
      try run.run()
      context.processPendingChanges()
      if !run.outcome.changed.isEmpty {
        context.saving.reverts.append(
          PendingRevert(
            store: transaction.storeID, number: transaction.transactionNumber,
            changed: run.outcome.changed))
      }
      return run.outcome
    } catch {
      checkpoint.restore()
      throw error
    }
  }

  private func mergeLater(_ basis: RevertBasis) {
    guard !basis.later.isEmpty else { return }
    var changes = ManagedObjectContext.ObjectIDChanges()
    for (id, kind) in basis.later { changes.add(kind, of: id) }
    context.mergeChanges(changes)
  }
}

extension RestoreState {
  /// Becomes a new object that is written under the ID that it has: one whose record was removed.
  func beginAnew(with row: Row, lastVersion: Int64) {
    guard let context = owner.context else { return }
    context.saving.reborn.note(owner.identity, lastVersion: lastVersion)
    context.changes.forget(owner)
    owner.flags.insert(.awoken)
    owner.flags.subtract([.inaccessible, .propagated])
    owner.row = row
    owner.memory = row.base
    owner.snapshot = nil
    owner.settled.removeAll()
    owner.links = LinkStates()
    owner.changedSlots.removeAll()
    owner.changedLinks.removeAll()
    context.changes.noteInsertion(of: owner)
  }
}
