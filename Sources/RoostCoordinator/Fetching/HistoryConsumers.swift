// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The bookmarks that stores keep for named consumers of their histories.
package struct HistoryConsumers {
  /// The time after which a silent consumer that holds transactions back is dropped, in seconds.
  static let longestSilence = 30 * 86_400.0

  /// The minimum time between two heartbeats that are written down, in seconds.
  static let shortestSilence = 3_600.0

  private let coordinator: PersistentStoreCoordinator

  package init(of coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// The start position of a consumer in a store.
  enum Start: Sendable {
    /// After a position; nil for the beginning.
    case position(StorePosition?)
    /// After a reset: it is unknown which transactions the consumer missed.
    case reset
  }

  /// Creates a consumer's bookmarks in all stores with a history, where they are missing.
  ///
  /// - Throws: `invalidValue` for an invalid name, `persistentStoreUnsupportedRequestType` when no store keeps a
  ///   history, `readOnlyStore`, or the error of a store.
  package func register(_ name: String) throws {
    guard (1...255).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw PersistenceError(
        .invalidValue, "The name of a consumer has 1 to 255 bytes and no NUL character.")
    }
    let stores = coordinator.route().stores.filter(\.keepsHistory)
    guard !stores.isEmpty else {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "No store keeps a history; add one with the option historyTracking.")
    }
    for store in stores { _ = try start(of: name, in: store) }
  }

  /// Returns the start position of a consumer in a store, creates its bookmark if necessary, and counts as a
  /// heartbeat.
  func start(of name: String, in store: AttachedStore) throws -> Start {
    let now = coordinator.historyTicks.clock()
    var start = Start.reset
    try store.changeHistoryBookmarks { bookmarks in
      if var known = bookmarks[name] {
        start = known.isDropped ? .reset : .position(known.position)
        guard now - known.time > Self.shortestSilence else { return }
        known.time = now
        bookmarks[name] = known
      } else {
        // The bookmark of an unknown consumer may have been lost: the consumer has to read everything again.
        start = bookmarks.isIncomplete ? .reset : .position(nil)
        bookmarks[name] = HistoryBookmark(
          position: nil, time: now, isDropped: bookmarks.isIncomplete)
      }
    }
    return start
  }

  /// Acknowledges everything up to a token. Earlier acknowledgements stay.
  ///
  /// - Throws: `storeRemoved` when a store of the token is not attached, `readOnlyStore`, or the error of a store.
  package func acknowledge(_ token: PersistentHistoryToken, by name: String) throws {
    let now = coordinator.historyTicks.clock()
    let stores = coordinator.route().stores
    for (identifier, position) in token.stores.sorted(by: { $0.key < $1.key }) {
      guard let store = stores.first(where: { $0.identity.identifier == identifier }),
        store.keepsHistory
      else {
        throw PersistenceError(
          .storeRemoved, "The store is not attached to this coordinator.", store: identifier)
      }
      try store.changeHistoryBookmarks { bookmarks in
        var place = position
        if let known = bookmarks[name]?.position, known.epoch == position.epoch,
          bookmarks[name]?.isDropped == false
        {
          place = known.merging(position)
        }
        bookmarks[name] = HistoryBookmark(position: place, time: now)
      }
    }
  }

  /// Removes a consumer's bookmarks: no transactions are kept for it any more.
  package func remove(_ name: String) throws {
    for store in coordinator.route().stores where store.keepsHistory {
      try store.changeHistoryBookmarks { $0[name] = nil }
    }
  }

  /// Records a heartbeat of a consumer: a consumer that waits for transactions is not silent.
  func touch(_ name: String) throws {
    let now = coordinator.historyTicks.clock()
    for store in coordinator.route().stores where store.keepsHistory {
      try store.changeHistoryBookmarks { bookmarks in
        guard var known = bookmarks[name], now - known.time > Self.shortestSilence else { return }
        known.time = now
        bookmarks[name] = known
      }
    }
  }
}

extension AttachedStore {
  /// Returns the positions of the consumers for which transactions are kept; nil when one of them has acknowledged
  /// nothing yet. Consumers that were silent for too long, and held a transaction back all that time, are dropped
  /// first.
  func positionsOfConsumers(at now: Double) throws -> [StorePosition]? {
    var bookmarks = try historyBookmarks()
    let late = try bookmarks.names.filter { name in
      guard let bookmark = bookmarks[name], !bookmark.isDropped,
        now - bookmark.time > HistoryConsumers.longestSilence
      else { return false }
      return try holdsBack(bookmark, since: now - HistoryConsumers.longestSilence)
    }
    if !late.isEmpty {
      let known = bookmarks
      try changeHistoryBookmarks { changed in
        // A consumer that sent a heartbeat meanwhile is kept.
        for name in late where changed[name] == known[name] { changed[name]?.isDropped = true }
        bookmarks = changed
      }
    }
    var positions: [StorePosition] = []
    for name in bookmarks.names {
      guard let bookmark = bookmarks[name], !bookmark.isDropped else { continue }
      guard let position = bookmark.position else { return nil }
      positions.append(position)
    }
    return positions
  }

  /// Deletes transactions without regard to consumers. A consumer that has acknowledged nothing has no position by
  /// which it could detect the gap, so its bookmark is marked as dropped.
  ///
  /// The mark is written before the deletion: a concurrent reader, or a crash in between, may cause an unnecessary
  /// reset, but never a missed save.
  func deletingUnheard(_ delete: () throws -> Int) throws -> Int {
    guard try historyBookmarks().names.count > 0 else { return try delete() }
    var dropped = HistoryBookmarks()
    try changeHistoryBookmarks { bookmarks in
      dropped = HistoryBookmarks()
      for name in bookmarks.names {
        guard var bookmark = bookmarks[name], bookmark.position == nil else { continue }
        if bookmark.isDropped {
          // Another deletion may be about to withdraw its mark: the changed time prevents that.
          bookmark.time += 0.001
        } else {
          bookmark.isDropped = true
          dropped[name] = bookmark
        }
        bookmarks[name] = bookmark
      }
    }
    do {
      let count = try delete()
      if count == 0 { try takeBack(dropped) }
      return count
    } catch let error as PersistenceError where error.code != .commitOutcomeUnknown {
      // No transaction was removed.
      try? takeBack(dropped)
      throw error
    }
  }

  /// Restores consumers that were dropped for a deletion that removed nothing, unless their bookmarks have changed
  /// since.
  private func takeBack(_ dropped: HistoryBookmarks) throws {
    guard !dropped.names.isEmpty else { return }
    try changeHistoryBookmarks { bookmarks in
      for name in dropped.names where bookmarks[name] == dropped[name] {
        bookmarks[name]?.isDropped = false
      }
    }
  }

  /// Whether a transaction after a bookmark is older than a time.
  private func holdsBack(_ bookmark: HistoryBookmark, since time: Double) throws -> Bool {
    do {
      let first = try historyTransactions(after: bookmark.position, limit: 1).first
      return first.map { $0.timestamp < time } ?? false
    } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
      return false
    } catch let error as PersistenceError where error.code == .corruptStore {
      // The consumer cannot read the transaction either.
      return true
    }
  }
}
