// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

extension Inspection {
  /// Compares the history with the saves in the store: each is one transaction, with the changes of the save and the
  /// previous values (H1, H7).
  ///
  /// - Parameter last: The last save in the store.
  func inspectHistory(to last: Int64, _ context: ManagedObjectContext) throws {
    let request = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
    let transactions = try context.execute(request).transactions ?? []
    // The first transaction made the objects that all parcels share.
    try require(
      transactions.count == last + 1,
      "\(last + 1) saves are there, and \(transactions.count) transactions")
    for (number, transaction) in zip(0..., transactions) where number > 0 {
      try inspect(transaction.changes ?? [], of: ParcelPlan(Int64(number)), context)
    }
  }

  private func inspect(
    _ changes: [PersistentHistoryChange], of plan: ParcelPlan, _ context: ManagedObjectContext
  ) throws {
    func ids(_ type: PersistentHistoryChangeType, _ entity: String) -> [ObjectID] {
      changes.filter { $0.changeType == type && $0.changedObjectID.entity.name == entity }
        .map(\.changedObjectID)
    }
    let what = "transaction \(plan.number)"
    let inserted = ids(.insert, "Parcel")
    try require(
      inserted.count == 1 && ids(.insert, "Piece").count == plan.sizes.count,
      "\(what) inserts \(inserted.count) parcels and \(ids(.insert, "Piece").count) pieces")
    let number = plan.number
    if let parcel = try context.fetch(Parcel.where { $0.number == number }).first {
      try require(inserted == [parcel.objectID], "\(what) inserts another parcel")
    }
    let deleted = changes.filter {
      $0.changeType == .delete && $0.changedObjectID.entity.name == "Parcel"
    }
    let outdated = number - ParcelPlan.kept
    try require(
      deleted.map { $0.previousValues?["number"] } == (outdated > 0 ? [.integer(outdated)] : []),
      "\(what) deletes other parcels")
    let counted = changes.filter { $0.changedObjectID.entity.name == "Counter" }
    try require(
      counted.map { $0.previousValues?["last"] } == [.integer(number - 1)],
      "\(what) does not say what the counter was")
  }
}
