// SPDX-License-Identifier: Apache-2.0

package import RoostStore

/// A history that passes on to another one what it does not implement itself.
///
/// Only requirements without a default implementation are passed on: the defaults call these, so a case that changes
/// one of them sees every use of it.
package protocol ForwardingHistory: StoreHistory {
  var base: any StoreHistory { get }
}

extension ForwardingHistory {
  package func position() throws -> StorePosition { try base.position() }

  package func transactions(
    after position: StorePosition?, limit: Int?
  ) throws -> [StoreTransaction] {
    try base.transactions(after: position, limit: limit)
  }

  package func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try base.deleteTransactions(deletion)
  }

  package func size() throws -> HistorySize { try base.size() }

  package func bookmarks() throws -> HistoryBookmarks { try base.bookmarks() }

  package func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    try base.changeBookmarks(change)
  }
}
