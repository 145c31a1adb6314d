// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostModel
import RoostStore

/// Reverts a history transaction by changes of a context that are not saved yet.
package struct Reverting {
  private let context: ManagedObjectContext

  package init(in context: ManagedObjectContext) {
    self.context = context
  }

  /// The outcome of a revert: conflicts, missing destinations, and changes.
  package struct Outcome {
    /// Properties that were changed again since the transaction; nil for a record as a whole.
    package var conflicts: [Place] = []
    /// Relationships whose destinations do not exist any more.
    package var missing: [Place] = []
    /// The records with changes made by the revert.
    package var changed: Set<ObjectID> = []

    /// Combines the outcomes of two transactions; a place that both have left unchanged is listed once.
    func union(_ other: Outcome) -> Outcome {
      Outcome(
        conflicts: Self.union(conflicts, other.conflicts),
        missing: Self.union(missing, other.missing), changed: changed.union(other.changed))
    }

    private static func union(_ first: [Place], _ second: [Place]) -> [Place] {
      let known = Set(first)
      return first + second.filter { !known.contains($0) }
    }

    /// A property of a record; with nil, the record itself.
    package struct Place: Hashable {
      package var id: ObjectID
      package var property: String?
    }
  }

  /// Applies the inverse of a transaction, or of the transactions of one save. They and later saves are merged first:
  /// the context may have read its objects before.
  ///
  /// - Parameters:
  ///   - transactions: The transactions, each of another store.
  ///   - isForced: Whether to overwrite later changes.
  /// - Throws: The errors of ``CoordinatorHistory/basis(of:)``, or of a store; nothing is changed then, except by the
  ///   merge.
  package func revert(
    _ transactions: [PersistentHistoryTransaction], isForced: Bool
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
    let bases = try context.asCaller {
      try transactions.map { try CoordinatorHistory(of: coordinator).basis(of: $0) }
    }
    let basis = RevertBasis(of: bases)
    merge(basis)
    context.processPendingChanges()
    let checkpoint = GraphCheckpoint(of: context)
    do {
      var run = RevertRun(basis, in: context, isForced: isForced)
      try run.run()
      context.processPendingChanges()
      if !run.outcome.changed.isEmpty {
        context.saving.reverts.append(
          PendingRevert(
            transactions: transactions.map { ($0.storeID, $0.transactionNumber) },
            changed: run.outcome.changed))
      }
      return run.outcome
    } catch {
      checkpoint.restore()
      throw error
    }
  }

  private func merge(_ basis: RevertBasis) {
    var changes = ManagedObjectContext.ObjectIDChanges()
    for record in basis.records { changes.add(record.kind, of: record.id) }
    for (id, kind) in basis.later { changes.add(kind, of: id) }
    context.mergeChanges(changes)
  }
}

extension RestoreState {
  /// Turns the object into a new one that is written under its existing ID, after its record was removed.
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
