// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel

extension PersistentStoreCoordinator {
  /// Returns one who follows the stores' histories by a name, and goes on after a restart where it was: the stores keep
  /// a bookmark for it.
  ///
  /// A consumer that is new begins with all that the stores keep. What it has not acknowledged is not removed from a
  /// history, unless it is silent for 30 days.
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
  /// - Parameter name: The name, of 1 to 255 bytes, which means the same in every process that uses the stores.
  /// - Returns: The consumer.
  /// - Throws: `PersistenceError` with code `invalidValue` for a name that cannot be one,
  ///   `persistentStoreUnsupportedRequestType` when no store keeps a history, `readOnlyStore` when a store that keeps
  ///   one cannot be written, or what a store says.
  /// - Complexity: One transaction a store.
  public func consumer(named name: String) throws -> HistoryConsumer {
    try HistoryConsumers(of: self).register(name)
    return HistoryConsumer(coordinator: self, name: name)
  }
}

/// One who follows the stores' histories by a name, and gets each transaction until it is acknowledged.
///
/// A program that ends between a transaction and its acknowledgement gets it again: what is done with it has to bear
/// that. A consumer whose bookmark is lost, damaged or from before what is kept gets one ``HistoryEvent/reset(_:)`` for
/// the store, and goes on from then.
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

  /// What happened since the last acknowledgement, and then what happens. Each loop over it begins there.
  ///
  /// It ends when its task is cancelled, and with an error of a store; one that is not reached is tried again.
  public var events: HistoryEvents { HistoryEvents(coordinator: coordinator, name: name) }

  /// Notes that an event, and all before it in its store, was dealt with: it does not come again.
  ///
  /// - Parameter event: The event.
  /// - Throws: `PersistenceError` with code `storeRemoved` when the store is not attached any more, `readOnlyStore`, or
  ///   what a store says.
  /// - Complexity: One transaction of the store. Of many events it is enough to acknowledge the last one of each store.
  public func acknowledge(_ event: HistoryEvent) throws {
    try acknowledge(event.token)
  }

  /// Notes that a transaction, and all before it in its store, was dealt with.
  ///
  /// - Parameter transaction: The transaction.
  /// - Throws: What ``acknowledge(_:)-(HistoryEvent)`` throws.
  /// - Complexity: One transaction of the store.
  public func acknowledge(_ transaction: PersistentHistoryTransaction) throws {
    try acknowledge(transaction.token)
  }

  /// Notes that everything up to a token was dealt with, as that from before a program has read everything.
  ///
  /// ```swift
  /// let token = try coordinator.currentPersistentHistoryToken(fromStores: nil)
  /// try indexEverything()
  /// if let token { try indexer.acknowledge(token) }
  /// ```
  /// - Parameter token: The token.
  /// - Throws: What ``acknowledge(_:)-(HistoryEvent)`` throws.
  /// - Complexity: One transaction a store.
  public func acknowledge(_ token: PersistentHistoryToken) throws {
    try HistoryConsumers(of: coordinator).acknowledge(token, by: name)
  }

  /// Removes the bookmarks: nothing is kept for the consumer any more.
  ///
  /// - Throws: `PersistenceError` with code `readOnlyStore`, or what a store says.
  /// - Complexity: One transaction a store.
  public func unregister() throws {
    try HistoryConsumers(of: coordinator).remove(name)
  }
}

/// What a consumer of the stores' histories gets.
///
/// ```swift
/// if case .reset(let reset) = event { reload(reset.storeID) }
/// ```
public enum HistoryEvent: Sendable {
  /// A transaction with its changes.
  case transaction(PersistentHistoryTransaction)
  /// What was missed of a store is not known: read what you need of it anew.
  case reset(HistoryReset)

  /// The token up to which everything is dealt with once the event is.
  public var token: PersistentHistoryToken {
    switch self {
    case .transaction(let transaction): transaction.token
    case .reset(let reset): reset.token
    }
  }
}

/// A store of which is not known what a consumer has missed.
///
/// ```swift
/// case .reset(let reset): reload(reset.storeID)
/// ```
public struct HistoryReset: Sendable, Hashable {
  /// The UUID of the store.
  public let storeID: String
  /// Where the consumer goes on: what is read after the event has everything up to here.
  public let token: PersistentHistoryToken
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

  /// Begins after what was acknowledged.
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
    /// - Throws: What a store says. The loop may be begun anew.
    /// - Complexity: One round trip a store for up to 64 transactions.
    public mutating func next() async throws -> HistoryEvent? {
      switch try await feed.next() {
      case .transaction(let transaction): .transaction(transaction)
      case .reset(let store, let token): .reset(HistoryReset(storeID: store, token: token))
      case nil: nil
      }
    }
  }
}
