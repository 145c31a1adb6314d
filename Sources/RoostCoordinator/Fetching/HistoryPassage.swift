// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Reads the history of a store one transaction at a time, around damaged ones.
struct HistoryPassage {
  private let store: AttachedStore
  private var translation: HistoryTranslation
  /// The position after the last transaction that was read or passed over.
  private(set) var position: StorePosition?

  init(of store: AttachedStore, after position: StorePosition?) {
    self.store = store
    self.position = position
    translation = HistoryTranslation(store)
  }

  /// Returns the transactions before the next damaged one, at most a number of them.
  mutating func readable(_ limit: Int) throws -> [PersistentHistoryTransaction] {
    var found: [PersistentHistoryTransaction] = []
    while found.count < limit, case .transaction(let next) = try next() {
      position = next.token.stores[store.identity.identifier]
      found.append(next)
    }
    return found
  }

  /// Passes over damaged transactions up to the next readable one.
  ///
  /// - Returns: Their numbers, at most a number of them; none when the store does not lead past the first.
  mutating func damaged(_ limit: Int) throws -> [Int64] {
    var numbers: [Int64] = []
    do {
      while numbers.count < limit, case .damage = try next(),
        let step = try store.historyStep(after: position)
      {
        position = step.position
        numbers.append(step.number)
      }
    } catch let error as PersistenceError where error.code == .corruptStore {
      // More than the content of a transaction is damaged.
    }
    return numbers
  }

  private enum Next {
    case transaction(PersistentHistoryTransaction)
    case damage
    case nothing
  }

  private mutating func next() throws -> Next {
    do {
      let found = try store.historyTransactions(after: position, limit: 1).first
      guard let found else { return .nothing }
      return .transaction(try translation.transaction(found, withChanges: true))
    } catch let error as PersistenceError where error.code == .corruptStore {
      return .damage
    }
  }
}
