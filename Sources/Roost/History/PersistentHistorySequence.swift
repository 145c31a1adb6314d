// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator

extension PersistentStoreCoordinator {
  /// Returns the transactions of the stores after a token: first the existing ones, then each new one, by any writer,
  /// as it is saved.
  ///
  /// The stores are watched only while the sequence is being read. The sequence ends when its task is cancelled, and
  /// with an error. A lost connection, a busy store and a server that does not answer are not errors: they are
  /// retried with back-off, and nothing is missed.
  ///
  /// ```swift
  /// for try await transaction in coordinator.history(after: token) {
  ///   token = token?.merging(transaction.token) ?? transaction.token
  ///   await refresh(transaction.changes ?? [])
  /// }
  /// ```
  /// - Parameter token: The start; nil for everything that the stores keep.
  /// - Returns: The transactions with their changes: those of each store in their order, and existing ones of several
  ///   stores merged by time.
  public func history(after token: PersistentHistoryToken?) -> PersistentHistorySequence {
    PersistentHistorySequence(coordinator: self, token: token)
  }
}

/// The existing and future transactions of a coordinator's stores: see `PersistentStoreCoordinator/history(after:)`.
///
/// ```swift
/// for try await transaction in coordinator.history(after: nil) { print(transaction.author ?? "-") }
/// ```
public struct PersistentHistorySequence: AsyncSequence, Sendable {
  /// A transaction with its changes.
  public typealias Element = PersistentHistoryTransaction

  let coordinator: PersistentStoreCoordinator
  let token: PersistentHistoryToken?

  /// Begins at the token of the sequence.
  public func makeAsyncIterator() -> Iterator {
    Iterator(feed: HistoryFeed(of: coordinator, after: token))
  }

  /// Reads the transactions.
  ///
  /// ```swift
  /// var transactions = coordinator.history(after: token).makeAsyncIterator()
  /// let first = try await transactions.next()
  /// ```
  public struct Iterator: AsyncIteratorProtocol {
    var feed: HistoryFeed

    /// Waits for the next transaction.
    ///
    /// - Returns: nil when the task is cancelled.
    /// - Throws: `PersistenceError` with code `persistentHistoryTokenExpired` when the history of a store does not go
    ///   back far enough, or the error of a store. A new iteration can continue from the last token.
    /// - Complexity: One round trip for each store for up to 64 transactions.
    public mutating func next() async throws -> PersistentHistoryTransaction? {
      guard case .transaction(let transaction)? = try await feed.next() else { return nil }
      return transaction
    }
  }
}
