// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to tell what each commit did: a facet of a store that keeps a history.
///
/// A transaction is written in the commit that it tells of, so it is there exactly if the commit is. A store keeps a
/// history when its metadata say so (``StoreMetadata/keepsHistory``), and from then on.
///
/// ```swift
/// guard let history = store.history else { return }
/// let news = try history.transactions(after: lastPosition, limit: nil)
/// ```
public protocol StoreHistory: Sendable {
  /// Returns the position after everything that is there now.
  ///
  /// - Throws: What the engine says.
  /// - Complexity: One round trip.
  func position() throws -> StorePosition

  /// Returns the transactions after a position, in the order in which their changes can be applied.
  ///
  /// - Parameters:
  ///   - position: Where the last answer ended; nil for all that are kept.
  ///   - limit: The largest number of transactions, the earliest ones; nil for all.
  /// - Throws: `persistentHistoryTokenExpired` when transactions after the position are not kept any more, or the
  ///   position is of another history; `corruptStore` for one that cannot be read, or what the engine says.
  /// - Complexity: One round trip; O(changes) of the answer.
  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction]

  /// Returns the transactions from the first one on that is later than a moment, as ``transactions(after:limit:)`` does
  /// from a position on.
  ///
  /// Asked for by that unless the store has a shorter way than to read all.
  ///
  /// - Parameters:
  ///   - time: The moment, in seconds since 2001-01-01 00:00 UTC.
  ///   - limit: The largest number of transactions, the earliest ones; nil for all.
  /// - Throws: `corruptStore` for one that cannot be read, or what the engine says.
  /// - Complexity: One round trip; O(changes) of the answer.
  func transactions(afterTime time: Double, limit: Int?) throws -> [StoreTransaction]

  /// Returns the transactions whose number is a larger one, as ``transactions(after:limit:)`` does from a position on.
  ///
  /// Asked for by that unless the store has a shorter way than to read all.
  ///
  /// - Parameter number: The number.
  /// - Throws: `corruptStore` for one that cannot be read, or what the engine says.
  /// - Complexity: One round trip; O(changes) of the answer.
  func transactions(afterNumber number: Int64) throws -> [StoreTransaction]

  /// Removes transactions: the earliest ones up to a bound, and not the one that it names.
  ///
  /// - Parameter deletion: Which ones.
  /// - Returns: How many were removed, and how much they held.
  /// - Throws: What ``transactions(after:limit:)`` throws, or `readOnlyStore`.
  /// - Complexity: One transaction.
  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize

  /// Returns how much the history holds.
  ///
  /// - Throws: What the engine says.
  /// - Complexity: One round trip; O(transactions) in the store.
  func size() throws -> HistorySize

  /// Returns the bookmarks of those who follow the history.
  ///
  /// - Throws: What the engine says.
  /// - Complexity: One round trip.
  func bookmarks() throws -> HistoryBookmarks

  /// Changes the bookmarks, while nobody else does.
  ///
  /// - Parameter change: Changes them; may be called again with what the store holds then. Bookmarks that stay as they
  ///   are are not written.
  /// - Throws: What `change` throws, `readOnlyStore`, or what the engine says.
  /// - Complexity: One transaction, which is no part of the history.
  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws
}

/// Up to where a history is deleted.
///
/// ```swift
/// try store.history?.deleteTransactions(before: .time(monthAgo))
/// ```
public enum HistoryBound: Sendable, Hashable {
  /// The last transaction that a position has behind it, which stays.
  case position(StorePosition)
  /// A moment, in seconds since 2001-01-01 00:00 UTC: what happened then or later stays.
  case time(Double)
}

extension PersistentStore {
  /// Nil: the store keeps no history.
  public var history: (any StoreHistory)? { nil }
}
