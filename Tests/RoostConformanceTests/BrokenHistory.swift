// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization

/// The history of a ``BrokenStore``.
final class BrokenHistory: StoreHistory {
  private let base: any StoreHistory
  private let defect: StoreDefect
  private let state: Mutex<State>

  /// What all sessions of a store share.
  struct State {
    /// Transactions that were committed and are not shown yet.
    var hidden: Set<Int64> = []
    /// The largest number that was shown.
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
      // As if it were written by a transaction of its own after the commit: the last one is not there yet.
      return limit == nil && found.count > 1 ? found.dropLast() : found
    case .numbersHistory:
      // As on a server whose transactions become visible in another order than they are numbered in: the last but one
      // comes after the last, and who goes on from that one's number does not see it any more.
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

/// Change marks of a store that relies on its hints: they say nothing by themselves.
struct ConstantMarks: StoreChangeMarks {
  func changeMark() throws -> String { "always" }
}
