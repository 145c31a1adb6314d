// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator

extension PersistentStoreCoordinator {
  /// Returns the transactions of the stores after a token: first those that are there, and then each that is saved, by
  /// whomever, as it comes.
  ///
  /// The stores are watched while the sequence is read, and no longer. It never ends by itself; it ends when its
  /// task is cancelled, and with an error. A connection that is lost, a store that is busy and a server that does not
  /// answer are none: it is tried again, less and less often, and nothing is missed.
  ///
  /// ```swift
  /// for try await transaction in coordinator.history(after: token) {
  ///   token = token?.merging(transaction.token) ?? transaction.token
  ///   await refresh(transaction.changes ?? [])
  /// }
  /// ```
  /// - Parameter token: Where to begin; nil for all that the stores keep.
  /// - Returns: The transactions with their changes: of each store in their order, and those that are there when it is
  ///   read by their times.
  public func history(after token: PersistentHistoryToken?) -> PersistentHistorySequence {
    PersistentHistorySequence(coordinator: self, token: token)
  }
}

/// The transactions of a coordinator's stores, past and to come: see `PersistentStoreCoordinator/history(after:)`.
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
    ///   back far enough, or what a store says. The last token leads on afterwards.
    /// - Complexity: One round trip a store for up to 64 transactions.
    public mutating func next() async throws -> PersistentHistoryTransaction? {
      guard case .transaction(let transaction)? = try await feed.next() else { return nil }
      return transaction
    }
  }
}
