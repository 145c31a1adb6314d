// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization

/// The combined previous values of a store's history since a position, read incrementally.
final class PastLog: Sendable {
  private struct State {
    /// The position up to which the history was read.
    var position: StorePosition
    var past: PastChanges
  }

  private let state: Mutex<State>

  init(_ schema: StoreSchema, _ names: HistoryNames, at position: StorePosition) {
    state = Mutex(State(position: position, past: PastChanges(schema, names)))
  }

  /// Reads the history to its end.
  ///
  /// - Returns: The states at the position of the records changed since. They cover everything read from the store
  ///   before this call began.
  /// - Throws: `persistentHistoryTokenExpired` when the history no longer goes back to the position, or has no
  ///   previous values.
  /// - Complexity: One round trip; O(changes) of new transactions.
  func past(from store: any PersistentStore) throws -> PastChanges {
    guard let history = store.history else {
      throw PersistenceError.historyExpired(store: store.identity.identifier)
    }
    while true {
      var known = state.withLock { $0 }
      let start = known.position
      // No lock is held during the request.
      let news = try history.transactions(after: start, limit: nil)
      guard let last = news.last else { return known.past }
      for transaction in news { try known.past.add(transaction.content) }
      known.position = start.merging(last.position)
      let isFirst = state.withLock { state in
        guard state.position == start else { return false }
        state = known
        return true
      }
      // Otherwise another reader was faster, and may have read less.
      if isFirst { return known.past }
    }
  }
}
