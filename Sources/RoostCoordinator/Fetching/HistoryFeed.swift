// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// An element of a history feed.
package enum HistoryNews: Sendable {
  /// A transaction.
  case transaction(PersistentHistoryTransaction)
  /// A store's transactions cannot be delivered: those with the numbers, which are damaged, or without numbers unknown
  /// ones. The feed continues after the token.
  case reset(storeID: String, PersistentHistoryToken, damaged: [Int64])
}

/// The transactions of a coordinator's stores, in batches: the existing ones first, then new ones as they come.
package struct HistoryFeed: Sendable {
  /// The number of transactions read at once.
  static let portion = 64

  private let coordinator: PersistentStoreCoordinator
  /// The name of the consumer; nil for an anonymous reader, for which an expired token is an error.
  private let consumer: String?
  private let follower: HistoryFollower
  private var cursor: PersistentHistoryToken
  /// The stores whose start position is known.
  private var begun: Set<String> = []
  private var pending: ArraySlice<HistoryNews> = []
  /// The number of consecutive failures to reach a store.
  private var failures = 0
  /// The time of the last heartbeat.
  private var touched = -Double.infinity

  /// Begins after a token, for an anonymous reader.
  package init(of coordinator: PersistentStoreCoordinator, after token: PersistentHistoryToken?) {
    self.init(coordinator, token, nil)
  }

  /// Begins at a consumer's bookmarks.
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

  /// Waits for the next element.
  ///
  /// A store that cannot be reached is retried with exponential back-off; elements already delivered are not
  /// repeated.
  ///
  /// - Returns: nil when the task is cancelled.
  /// - Throws: Permanent errors of a store, and `persistentHistoryTokenExpired` for an anonymous reader.
  package mutating func next() async throws -> HistoryNews? {
    while !Task.isCancelled {
      if let first = pending.popFirst() { return first }
      let known = coordinator.historyTicks.count
      do {
        self = try await readElsewhere()
        failures = 0
      } catch let error as PersistenceError where error.mayPass {
        // The sleep ends early when the task is cancelled.
        try? await Task.sleep(for: .milliseconds(Self.delay(after: failures)))
        failures += 1
        continue
      }
      if pending.isEmpty { await coordinator.historyTicks.wait(after: known) }
    }
    return nil
  }

  /// Returns the delay before a retry, after a number of consecutive failures, in milliseconds: from an eighth of a
  /// second to half a minute.
  static func delay(after failures: Int) -> Int { 125 << min(failures, 8) }

  /// Reads on a thread that may block on a disk or a server.
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

  /// Reads the next batch, if there is one.
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
      for store in coordinator.route().stores where store.keepsHistory {
        switch try gap(in: store) {
        case .none: break
        case .expired: try reset(store)
        case .damage: try approachDamage(of: store, consumer)
        }
      }
      if pending.isEmpty { throw error }
    }
  }

  private static func isGap(_ error: PersistenceError) -> Bool {
    error.code == .persistentHistoryTokenExpired || error.code == .corruptStore
  }

  /// The reason why the next transactions of a store cannot be read.
  private enum Gap {
    case none, expired, damage
  }

  private func gap(in store: AttachedStore) throws -> Gap {
    do {
      let position = cursor.stores[store.identity.identifier]
      for found in try store.historyTransactions(after: position, limit: Self.portion) {
        _ = try found.content.changes()
      }
      return .none
    } catch let error as PersistenceError where Self.isGap(error) {
      return error.code == .corruptStore ? .damage : .expired
    }
  }

  /// Delivers the transactions before a damaged one, or, when it is the next, passes over it and the damaged ones that
  /// follow. Where nothing leads past it, the store is reset.
  private mutating func approachDamage(of store: AttachedStore, _ consumer: String?) throws {
    let identifier = store.identity.identifier
    var passage = HistoryPassage(of: store, after: cursor.stores[identifier])
    let found = try passage.readable(Self.portion)
    if !found.isEmpty {
      if let consumer, try beginsAnew(consumer, with: found) { return }
      for transaction in found { advance(to: transaction.token) }
      pending += found.map(HistoryNews.transaction)
      return
    }
    let damaged = try passage.damaged(Self.portion)
    guard !damaged.isEmpty, let position = passage.position else { return try reset(store) }
    cursor = cursor.replacing([identifier: position])
    let token = PersistentHistoryToken(stores: [identifier: position])
    pending.append(.reset(storeID: identifier, token, damaged: damaged))
  }

  private mutating func touch(_ consumer: String) throws {
    let now = coordinator.historyTicks.clock()
    guard now - touched > HistoryConsumers.shortestSilence else { return }
    touched = now
    try HistoryConsumers(of: coordinator).touch(consumer)
  }

  /// Determines the start position in stores where it is not yet known.
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

  /// Checks the bookmarks of stores from which transactions arrive for the first time: earlier ones may have been
  /// deleted since the feed began. Bookmarks are marked before a deletion, so the gap is visible by now.
  ///
  /// - Returns: Whether one of the stores was reset; then nothing is taken from the others.
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

  /// Continues at the current position, and delivers a reset.
  private mutating func reset(_ store: AttachedStore) throws {
    guard let position = try store.historyPosition() else { return }
    let identifier = store.identity.identifier
    cursor = cursor.replacing([identifier: position])
    pending.append(
      .reset(
        storeID: identifier, PersistentHistoryToken(stores: [identifier: position]), damaged: []))
  }

  private mutating func advance(to token: PersistentHistoryToken) {
    for (store, position) in token.stores {
      let known = cursor.stores[store]
      cursor = cursor.replacing([store: known?.merging(position) ?? position])
    }
  }
}

extension PersistentHistoryToken {
  /// Returns the token with the positions of some stores replaced.
  fileprivate func replacing(_ positions: [String: StorePosition]) -> PersistentHistoryToken {
    PersistentHistoryToken(stores: stores.merging(positions) { $1 })
  }
}

extension PersistenceError {
  /// Whether the error is transient.
  fileprivate var mayPass: Bool {
    isUnreachable || code == .storeBusy || code == .persistentStoreTimeout
  }
}
