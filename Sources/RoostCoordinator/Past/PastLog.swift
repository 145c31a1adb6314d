// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization

/// What the history of a store says of the time before a position, read once and gone on with.
final class PastLog: Sendable {
  private struct State {
    /// Up to where the history was read.
    var position: StorePosition
    var past: PastChanges
  }

  private let state: Mutex<State>

  init(_ schema: StoreSchema, at position: StorePosition) {
    state = Mutex(State(position: position, past: PastChanges(schema)))
  }

  /// Reads the history to its end.
  ///
  /// - Returns: What the records that were touched since the position were then. Whatever was read of the store before
  ///   this call began is accounted for.
  /// - Throws: `persistentHistoryTokenExpired` when the history does not go back to the position any more, or has no
  ///   values.
  /// - Complexity: One round trip; O(changes) of what is new.
  func past(from store: any PersistentStore) throws -> PastChanges {
    guard let history = store.history else {
      throw PersistenceError.historyExpired(store: store.identity.identifier)
    }
    while true {
      var known = state.withLock { $0 }
      let start = known.position
      // No lock is held meanwhile.
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
