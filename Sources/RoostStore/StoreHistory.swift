// SPDX-License-Identifier: Apache-2.0

/// The history of a store: a log of the changes of each commit.
///
/// A history transaction is written in the commit that it describes, so both exist or neither. A store keeps a
/// history once its metadata enable it (``StoreMetadata/keepsHistory``).
///
/// ```swift
/// guard let history = store.history else { return }
/// let news = try history.transactions(after: lastPosition, limit: nil)
/// ```
public protocol StoreHistory: Sendable {
  /// Returns the position after the last transaction.
  ///
  /// - Throws: The engine's errors.
  /// - Complexity: One round trip.
  func position() throws -> StorePosition

  /// Returns the transactions after a position, in the order in which their changes can be applied.
  ///
  /// - Parameters:
  ///   - position: The position of the last result; nil for all kept transactions.
  ///   - limit: The maximum number of transactions, the earliest first; nil for all.
  /// - Throws: `persistentHistoryTokenExpired` when transactions after the position were deleted, or the position
  ///   belongs to another history; `corruptStore` for an unreadable transaction, or the engine's errors.
  /// - Complexity: One round trip; O(changes) in the result.
  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction]

  /// Returns the transactions from the first one later than a time, like ``transactions(after:limit:)``.
  ///
  /// The default reads all transactions; a store may have a faster way.
  ///
  /// - Parameters:
  ///   - time: The time, in seconds since 2001-01-01 00:00 UTC.
  ///   - limit: The maximum number of transactions, the earliest first; nil for all.
  /// - Throws: `corruptStore` for an unreadable transaction, or the engine's errors.
  /// - Complexity: One round trip; O(changes) in the result.
  func transactions(afterTime time: Double, limit: Int?) throws -> [StoreTransaction]

  /// Returns the transactions with a larger number, like ``transactions(after:limit:)``.
  ///
  /// The default reads all transactions; a store may have a faster way.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - limit: The maximum number of transactions, the earliest first; nil for all.
  /// - Throws: `corruptStore` for an unreadable transaction, or the engine's errors.
  /// - Complexity: One round trip; O(changes) in the result.
  func transactions(afterNumber number: Int64, limit: Int?) throws -> [StoreTransaction]

  /// Returns the number of the next transaction after a position and the position right after it, without decoding its
  /// content: the way past a transaction whose content is damaged.
  ///
  /// The default reads the transaction, so that nothing leads past a damaged one.
  ///
  /// - Parameter position: The position; nil for the beginning of what is kept.
  /// - Returns: nil when there is no later transaction.
  /// - Throws: `persistentHistoryTokenExpired` as ``transactions(after:limit:)``, `corruptStore` when more than the
  ///   content is damaged, or the engine's errors.
  /// - Complexity: One round trip.
  func step(after position: StorePosition?) throws -> HistoryStep?

  /// Deletes the earliest transactions, up to an exclusive bound.
  ///
  /// - Parameter deletion: The bound, readers and limits.
  /// - Returns: The number and size of the deleted transactions.
  /// - Throws: The errors of ``transactions(after:limit:)``, or `readOnlyStore`.
  /// - Complexity: One transaction.
  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize

  /// Returns the size of the history.
  ///
  /// - Throws: The engine's errors.
  /// - Complexity: One round trip; O(transactions) in the store.
  func size() throws -> HistorySize

  /// Returns the size of the history, and counts on from an earlier answer.
  ///
  /// The default counts everything; a store may have a faster way.
  ///
  /// - Parameter known: An earlier answer; nil for none.
  /// - Throws: The engine's errors.
  /// - Complexity: One round trip; O(later transactions), or O(transactions) in the store when others have deleted
  ///   some since.
  func size(since known: HistorySize?) throws -> HistorySize

  /// Returns the bookmarks of the history's followers.
  ///
  /// - Throws: The engine's errors.
  /// - Complexity: One round trip.
  func bookmarks() throws -> HistoryBookmarks

  /// Changes the bookmarks atomically.
  ///
  /// - Parameter change: Changes the bookmarks; may be called again with newly read ones. Unchanged bookmarks are not
  ///   written.
  /// - Throws: The errors of `change`, `readOnlyStore`, or the engine's errors.
  /// - Complexity: One transaction, which does not appear in the history.
  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws
}

/// A transaction of a history without its content.
///
/// ```swift
/// if let step = try store.history?.step(after: position) { print("passes over", step.number) }
/// ```
public struct HistoryStep: Sendable, Hashable {
  /// The number of the transaction.
  public var number: Int64
  /// The position right after it.
  public var position: StorePosition

  /// Makes a step.
  ///
  /// - Parameters:
  ///   - number: The number of the transaction.
  ///   - position: The position right after it.
  public init(number: Int64, position: StorePosition) {
    self.number = number
    self.position = position
  }
}

/// The exclusive bound of a history deletion.
///
/// ```swift
/// try store.history?.deleteTransactions(before: .time(monthAgo))
/// ```
public enum HistoryBound: Sendable, Hashable {
  /// A position; the last transaction before it is kept.
  case position(StorePosition)
  /// A time, in seconds since 2001-01-01 00:00 UTC; transactions at or after it are kept.
  case time(Double)
}

extension PersistentStore {
  /// Nil: the store keeps no history.
  public var history: (any StoreHistory)? { nil }
}
