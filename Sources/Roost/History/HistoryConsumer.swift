// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel

extension PersistentStoreCoordinator {
  /// Returns a named consumer of the stores' histories, which continues after a restart where it was: the stores keep
  /// a bookmark for it.
  ///
  /// A new consumer begins with everything that the stores keep. Transactions that it has not acknowledged are not
  /// removed from a history, unless it is silent for 30 days.
  ///
  /// ```swift
  /// let indexer = try coordinator.consumer(named: "indexer")
  /// for try await event in indexer.events {
  ///   switch event {
  ///   case .transaction(let transaction): index(transaction.changes ?? [])
  ///   case .reset: indexEverything()
  ///   }
  ///   try indexer.acknowledge(event)
  /// }
  /// ```
  /// - Parameter name: The name, of 1 to 255 bytes, which identifies the consumer in every process that uses the
  ///   stores.
  /// - Returns: The consumer.
  /// - Throws: `PersistenceError` with code `invalidValue` for an invalid name,
  ///   `persistentStoreUnsupportedRequestType` when no store keeps a history, `readOnlyStore` when a store with a
  ///   history cannot be written, or the error of a store.
  /// - Complexity: One transaction for each store.
  public func consumer(named name: String) throws -> HistoryConsumer {
    try HistoryConsumers(of: self).register(name)
    return HistoryConsumer(coordinator: self, name: name)
  }
}

/// A named consumer of the stores' histories, which receives each transaction until it is acknowledged.
///
/// If a program ends between a transaction and its acknowledgement, the transaction is delivered again: processing
/// must be idempotent. A consumer whose bookmark is lost, damaged or older than the kept history receives one
/// ``HistoryEvent/reset(_:)`` for each store concerned, and continues from the current position. A transaction that
/// cannot be read is skipped: the reset that says so has its number, and the consumer continues right after it.
///
/// ```swift
/// let mailer = try coordinator.consumer(named: "mailer")
/// for try await event in mailer.events {
///   if case .transaction(let transaction) = event { send(transaction) }
///   try mailer.acknowledge(event)
/// }
/// ```
public final class HistoryConsumer: Sendable {
  private let coordinator: PersistentStoreCoordinator
  /// The name.
  public let name: String

  init(coordinator: PersistentStoreCoordinator, name: String) {
    self.coordinator = coordinator
    self.name = name
  }

  /// The events since the last acknowledgement, followed by new ones. Each iteration begins there.
  ///
  /// It ends when its task is cancelled, and with an error of a store; a store that cannot be reached is retried.
  public var events: HistoryEvents { HistoryEvents(coordinator: coordinator, name: name) }

  /// Acknowledges an event, and all before it in its store: they are not delivered again.
  ///
  /// - Parameter event: The event.
  /// - Throws: `PersistenceError` with code `storeRemoved` when the store is no longer attached, `readOnlyStore`, or
  ///   the error of a store.
  /// - Complexity: One transaction of the store. Of many events it is enough to acknowledge the last one of each
  ///   store.
  public func acknowledge(_ event: HistoryEvent) throws {
    try acknowledge(event.token)
  }

  /// Acknowledges a transaction, and all before it in its store.
  ///
  /// - Parameter transaction: The transaction.
  /// - Throws: What ``acknowledge(_:)-(HistoryEvent)`` throws.
  /// - Complexity: One transaction of the store.
  public func acknowledge(_ transaction: PersistentHistoryTransaction) throws {
    try acknowledge(transaction.token)
  }

  /// Acknowledges everything up to a token, for example one taken before a program reads everything.
  ///
  /// ```swift
  /// let token = try coordinator.currentPersistentHistoryToken(fromStores: nil)
  /// try indexEverything()
  /// if let token { try indexer.acknowledge(token) }
  /// ```
  /// - Parameter token: The token.
  /// - Throws: What ``acknowledge(_:)-(HistoryEvent)`` throws.
  /// - Complexity: One transaction for each store.
  public func acknowledge(_ token: PersistentHistoryToken) throws {
    try HistoryConsumers(of: coordinator).acknowledge(token, by: name)
  }

  /// Removes the bookmarks: no transactions are kept for the consumer any more.
  ///
  /// - Throws: `PersistenceError` with code `readOnlyStore`, or the error of a store.
  /// - Complexity: One transaction for each store.
  public func unregister() throws {
    try HistoryConsumers(of: coordinator).remove(name)
  }
}

/// An event for a consumer of the stores' histories.
///
/// ```swift
/// if case .reset(let reset) = event { reload(reset.storeID) }
/// ```
public enum HistoryEvent: Sendable {
  /// A transaction with its changes.
  case transaction(PersistentHistoryTransaction)
  /// The changes missed in a store are unknown: read what you need from it again.
  case reset(HistoryReset)

  /// The token to acknowledge once the event was processed.
  public var token: PersistentHistoryToken {
    switch self {
    case .transaction(let transaction): transaction.token
    case .reset(let reset): reset.token
    }
  }
}

/// A reset: a consumer has missed transactions of a store, and their changes are unknown.
///
/// Read the data that you need from the store again, acknowledge the event, and go on. If single transactions are
/// damaged (``damagedTransactions``), only these are skipped, and all others are still delivered: a program to which
/// they do not matter can acknowledge the event without reading anything.
///
/// ```swift
/// case .reset(let reset) where !reset.damagedTransactions.isEmpty:
///   log("skipped \(reset.damagedTransactions) of \(reset.storeID)")
/// case .reset(let reset): reload(reset.storeID)
/// ```
public struct HistoryReset: Sendable, Hashable {
  /// The UUID of the store.
  public let storeID: String
  /// The position from which the consumer continues: reads after the event include everything up to it.
  public let token: PersistentHistoryToken
  /// The numbers of the transactions that cannot be read, in order: exactly these are skipped. Empty when it is
  /// unknown which transactions are missing, because the history does not go back to the bookmark.
  public let damagedTransactions: [Int64]
}

/// The events of a consumer: see ``HistoryConsumer/events``.
///
/// ```swift
/// for try await event in consumer.events { try consumer.acknowledge(event) }
/// ```
public struct HistoryEvents: AsyncSequence, Sendable {
  /// A transaction, or a reset.
  public typealias Element = HistoryEvent

  let coordinator: PersistentStoreCoordinator
  let name: String

  /// Begins after the last acknowledgement.
  public func makeAsyncIterator() -> Iterator {
    Iterator(feed: HistoryFeed(of: coordinator, consumer: name))
  }

  /// Reads the events.
  ///
  /// ```swift
  /// var events = consumer.events.makeAsyncIterator()
  /// let first = try await events.next()
  /// ```
  public struct Iterator: AsyncIteratorProtocol {
    var feed: HistoryFeed

    /// Waits for the next event.
    ///
    /// - Returns: nil when the task is cancelled.
    /// - Throws: The error of a store. A new iteration can be started.
    /// - Complexity: One round trip for each store for up to 64 transactions.
    public mutating func next() async throws -> HistoryEvent? {
      switch try await feed.next() {
      case .transaction(let transaction): .transaction(transaction)
      case .reset(let store, let token, let damaged):
        .reset(HistoryReset(storeID: store, token: token, damagedTransactions: damaged))
      case nil: nil
      }
    }
  }
}
