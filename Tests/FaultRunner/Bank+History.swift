// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

extension Bank {
  /// Compares a history with the steps in the store: each is one transaction, with the changes of the step and the
  /// previous values (H1, H7).
  ///
  /// - Parameters:
  ///   - transactions: All transactions that the store keeps.
  ///   - last: The last step in the store.
  func compare(_ transactions: [PersistentHistoryTransaction], to last: Int64) throws {
    try Finding.require(
      transactions.count == last, "\(last) steps are there, and \(transactions.count) transactions")
    var state = BankState(after: 0)
    for transaction in transactions {
      let before = state
      let steps = state.advance()
      let what = "transaction \(state.last)"
      var added = 0
      var removed: Set<String> = []
      for step in steps {
        switch step {
        case .add: added += 1
        case .remove(let code): removed.insert(code)
        case .set: break
        }
      }
      let changes = (transaction.changes ?? []).filter {
        $0.changedObjectID.entity.name == "Entry"
      }
      try Finding.require(
        changes.count { $0.changeType == .insert } == added, "\(what) inserts other entries")
      let deleted = changes.filter { $0.changeType == .delete }.map(\.previousValues)
      try Finding.require(
        Set(deleted.map { $0?["code"] }) == Set(removed.map { .string($0) }),
        "\(what) deletes other entries")
      for values in deleted {
        guard case .string(let code)? = values?["code"] else { continue }
        try Finding.require(
          values?["amount"] == before.items[code].map { .integer($0.amount) },
          "\(what) says that entry \(code) had another amount")
      }
    }
  }
}
