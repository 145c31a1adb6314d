// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Something that one hears of who follows the stores' histories.
package enum HistoryNews: Sendable {
  /// A transaction.
  case transaction(PersistentHistoryTransaction)
  /// What was missed of a store is not known; it goes on after the token.
  case reset(storeID: String, PersistentHistoryToken)
}

/// The transactions of a coordinator's stores, in portions: those that are there, and then those that come.
package struct HistoryFeed: Sendable {
  /// How many transactions are read at once.
  static let portion = 64

  private let coordinator: PersistentStoreCoordinator
  /// The name of the consumer; nil for a reader without one, to whom a token that is too old is an error.
  private let consumer: String?
  private let follower: HistoryFollower
  private var cursor: PersistentHistoryToken
  /// The stores in which it has begun.
  private var begun: Set<String> = []
  private var pending: ArraySlice<HistoryNews> = []
  /// How often in a row a store was not reached.
  private var failures = 0
  /// When the stores last heard that the consumer is alive.
  private var touched = -Double.infinity

  /// Begins after a token, for a reader without a name.
  package init(of coordinator: PersistentStoreCoordinator, after token: PersistentHistoryToken?) {
    self.init(coordinator, token, nil)
  }

  /// Begins where a consumer's bookmarks are.
  package init(of coordinator: PersistentStoreCoordinator, consumer: String) {
    self.init(coordinator, nil, consumer)
  }

  private init(
    _ coordinator: PersistentStoreCoordinator, _ token: PersistentHistoryToken?,
    _ consumer: String?
  ) {
    self.coordinator = coordinator
    self.consumer = consumer
    cursor = token ?? PersistentHistoryToken(stores: [:])
    follower = HistoryFollower(of: coordinator)
  }

  /// Waits for the next thing to hear.
  ///
  /// A store that is not reached is asked again, less and less often, until it is: what has come before stays heard.
  ///
  /// - Returns: nil when the task is cancelled.
  /// - Throws: What a store says for good, and for a reader without a name `persistentHistoryTokenExpired`.
  package mutating func next() async throws -> HistoryNews? {
    while !Task.isCancelled {
      if let first = pending.popFirst() { return first }
      let known = coordinator.historyTicks.count
      do {
        self = try await readElsewhere()
        failures = 0
      } catch let error as PersistenceError where error.mayPass {
        // It ends early when the task is cancelled.
        try? await Task.sleep(for: .milliseconds(Self.delay(after: failures)))
        failures += 1
        continue
      }
      if pending.isEmpty { await coordinator.historyTicks.wait(after: known) }
    }
    return nil
  }

  /// How long it waits before a store is asked again that was not reached so many times before, in milliseconds: from
  /// an eighth of a second to half a minute.
  static func delay(after failures: Int) -> Int { 125 << min(failures, 8) }

  /// Reads on a thread that may wait for a disk or a server.
  private func readElsewhere() async throws -> HistoryFeed {
    let feed = self
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(
          with: Result {
            var feed = feed
            try feed.read()
            return feed
          })
      }
    }
  }

  /// Reads what comes next, if there is anything.
  private mutating func read() throws {
    if let consumer {
      try begin(consumer)
      if !pending.isEmpty { return }
      try touch(consumer)
    }
    do {
      let found = try CoordinatorHistory(of: coordinator).transactions(
        after: .token(cursor), stores: nil, withChanges: true, limit: Self.portion,
        keepsSavesTogether: true)
      if let consumer, try beginsAnew(consumer, with: found) { return }
      for transaction in found { advance(to: transaction.token) }
      pending = found.map(HistoryNews.transaction)[...]
    } catch let error as PersistenceError where consumer != nil && Self.isGap(error) {
      for store in coordinator.route().stores where try hasGap(store) { try reset(store) }
      if pending.isEmpty { throw error }
    }
  }

  private static func isGap(_ error: PersistenceError) -> Bool {
    error.code == .persistentHistoryTokenExpired || error.code == .corruptStore
  }

  /// Whether it cannot be told what comes next in a store.
  private func hasGap(_ store: AttachedStore) throws -> Bool {
    guard store.keepsHistory else { return false }
    do {
      let position = cursor.stores[store.identity.identifier]
      for found in try store.historyTransactions(after: position, limit: Self.portion) {
        _ = try found.content.changes()
      }
      return false
    } catch let error as PersistenceError where Self.isGap(error) {
      return true
    }
  }

  private mutating func touch(_ consumer: String) throws {
    let now = coordinator.historyTicks.clock()
    guard now - touched > HistoryConsumers.shortestSilence else { return }
    touched = now
    try HistoryConsumers(of: coordinator).touch(consumer)
  }

  /// Begins in the stores in which it has not yet.
  private mutating func begin(_ consumer: String) throws {
    for store in coordinator.route().stores where store.keepsHistory {
      let identifier = store.identity.identifier
      guard !begun.contains(identifier) else { continue }
      switch try HistoryConsumers(of: coordinator).start(of: consumer, in: store) {
      case .position(let position?):
        cursor = cursor.replacing([identifier: position])
      case .position(nil): break
      case .reset: try reset(store)
      }
      begun.insert(identifier)
    }
  }

  /// Looks at the bookmarks of the stores of which the first transactions come: what was before them may have been
  /// removed since it was begun. That is said before anything is removed, so it is known by now.
  ///
  /// - Returns: Whether it goes on from now in one of them; nothing of the others is taken then.
  private mutating func beginsAnew(
    _ consumer: String, with found: [PersistentHistoryTransaction]
  ) throws -> Bool {
    let first = Set(found.map(\.storeID)).filter { cursor.stores[$0] == nil }
    guard !first.isEmpty else { return false }
    for store in coordinator.route().stores where first.contains(store.identity.identifier) {
      guard case .reset = try HistoryConsumers(of: coordinator).start(of: consumer, in: store)
      else { continue }
      try reset(store)
    }
    return !pending.isEmpty
  }

  /// Goes on from now, and says so.
  private mutating func reset(_ store: AttachedStore) throws {
    guard let position = try store.historyPosition() else { return }
    let identifier = store.identity.identifier
    cursor = cursor.replacing([identifier: position])
    pending.append(
      .reset(storeID: identifier, PersistentHistoryToken(stores: [identifier: position])))
  }

  private mutating func advance(to token: PersistentHistoryToken) {
    for (store, position) in token.stores {
      let known = cursor.stores[store]
      cursor = cursor.replacing([store: known?.merging(position) ?? position])
    }
  }
}

extension PersistentHistoryToken {
  /// The token with other positions of some stores.
  fileprivate func replacing(_ positions: [String: StorePosition]) -> PersistentHistoryToken {
    PersistentHistoryToken(stores: stores.merging(positions) { $1 })
  }
}

extension PersistenceError {
  /// Whether it is about the moment and not about the store.
  fileprivate var mayPass: Bool {
    isUnreachable || code == .storeBusy || code == .persistentStoreTimeout
  }
}
