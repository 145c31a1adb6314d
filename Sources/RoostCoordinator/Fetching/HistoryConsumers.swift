// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The bookmarks that stores keep for those who follow their histories by a name.
package struct HistoryConsumers {
  /// How long one may be silent who holds transactions back, in seconds; then it is dropped.
  static let longestSilence = 30 * 86_400.0

  /// For how long one who is heard of again is not written down anew, in seconds.
  static let shortestSilence = 3_600.0

  private let coordinator: PersistentStoreCoordinator

  package init(of coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// Where one begins who follows a store by a name.
  enum Start: Sendable {
    /// After a position; nil for the beginning.
    case position(StorePosition?)
    /// With the news that it is not known what was missed.
    case reset
  }

  /// Makes bookmarks in all stores that keep a history, where there are none yet.
  ///
  /// - Throws: `invalidValue` for a name that cannot be one, `persistentStoreUnsupportedRequestType` when no store
  ///   keeps a history, `readOnlyStore`, or what a store says.
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

  /// Where a consumer begins in a store; it is heard of by that.
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
        // An unknown consumer may be one whose bookmark was lost: it has to read everything anew.
        start = bookmarks.isIncomplete ? .reset : .position(nil)
        bookmarks[name] = HistoryBookmark(
          position: nil, time: now, isDropped: bookmarks.isIncomplete)
      }
    }
    return start
  }

  /// Notes that everything up to a token was dealt with. What was acknowledged before stays so.
  ///
  /// - Throws: `storeRemoved` when a store of the token is not attached, `readOnlyStore`, or what a store says.
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

  /// Removes the bookmarks of a name: nothing is kept for it any more.
  package func remove(_ name: String) throws {
    for store in coordinator.route().stores where store.keepsHistory {
      try store.changeHistoryBookmarks { $0[name] = nil }
    }
  }

  /// Notes that a consumer is alive: one that waits for something to happen is not silent.
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
  /// The positions of those for whom transactions are kept; nil when one of them has acknowledged nothing yet. Who has
  /// been silent for too long, and held something back for all that time, is dropped first.
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
        // Who was heard of meanwhile stays.
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

  /// Deletes transactions for which nobody is asked. Consumers that have acknowledged nothing have no position by which
  /// they could tell that something is missing, so their bookmarks say it.
  ///
  /// They say it before anything is gone: who reads meanwhile, and a process that ends meanwhile, rather begin anew for
  /// nothing than miss a save.
  func deletingUnheard(_ delete: () throws -> Int) throws -> Int {
    guard try historyBookmarks().names.count > 0 else { return try delete() }
    var dropped = HistoryBookmarks()
    try changeHistoryBookmarks { bookmarks in
      dropped = HistoryBookmarks()
      for name in bookmarks.names {
        guard var bookmark = bookmarks[name], bookmark.position == nil else { continue }
        if bookmark.isDropped {
          // Another deletion may be about to take its mark back: then it finds another time.
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
      // Nothing was removed.
      try? takeBack(dropped)
      throw error
    }
  }

  /// Lets those go on who were dropped for a deletion that removed nothing, unless something has happened since.
  private func takeBack(_ dropped: HistoryBookmarks) throws {
    guard !dropped.names.isEmpty else { return }
    try changeHistoryBookmarks { bookmarks in
      for name in dropped.names where bookmarks[name] == dropped[name] {
        bookmarks[name]?.isDropped = false
      }
    }
  }

  /// Whether there is something after a bookmark that was there at a time.
  private func holdsBack(_ bookmark: HistoryBookmark, since time: Double) throws -> Bool {
    do {
      let first = try historyTransactions(after: bookmark.position, limit: 1).first
      return first.map { $0.timestamp < time } ?? false
    } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
      return false
    }
  }
}
