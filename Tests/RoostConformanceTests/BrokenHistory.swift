// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization

/// The history of a ``BrokenStore``.
final class BrokenHistory: StoreHistory {
  private let base: any StoreHistory
  private let defect: StoreDefect
  private let state: Mutex<State>

  /// The state that all sessions of a store share.
  struct State {
    /// Committed transactions that are not visible yet.
    var hidden: Set<Int64> = []
    /// The largest number returned so far.
    var shown: Int64 = 0
  }

  init(base: any StoreHistory, defect: StoreDefect) {
    self.base = base
    self.defect = defect
    state = Mutex(State())
  }

  func position() throws -> StorePosition { try base.position() }

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    let found = try base.transactions(after: position, limit: limit)
    switch defect {
    case .writesHistoryLater:
      // Simulates a history that is written by a separate transaction after the commit: the last entry is missing.
      return limit == nil && found.count > 1 ? found.dropLast() : found
    case .numbersHistory:
      // Simulates a server whose transactions become visible in another order than their numbers: the last but one
      // appears after the last, and a reader that continues after the last number misses it.
      return state.withLock { state in
        let visible = found.filter { !state.hidden.contains($0.number) }
        guard visible.count > 1 else {
          state.hidden = []
          return visible
        }
        let late = visible[visible.count - 2].number
        guard late > state.shown else { return visible }
        state.shown = visible[visible.count - 1].number
        state.hidden.insert(late)
        return visible.filter { $0.number != late }
      }
    default: return found
    }
  }

  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try base.deleteTransactions(deletion)
  }

  func size() throws -> HistorySize { try base.size() }

  func bookmarks() throws -> HistoryBookmarks {
    defect == .forgetsBookmarks ? HistoryBookmarks() : try base.bookmarks()
  }

  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    try base.changeBookmarks(change)
  }
}

/// Constant change marks, as of a store that relies on its hints.
struct ConstantMarks: StoreChangeMarks {
  func changeMark() throws -> String { "always" }
}
