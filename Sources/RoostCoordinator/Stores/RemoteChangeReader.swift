// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Takes over what others have written to a store: the row cache forgets it, and observers hear of it as of a commit.
///
/// Of a store that keeps a history it knows which records that are. Of any other one, and where the history does not go
/// back far enough any more, it knows only that something was written: then everything is forgotten, and observers
/// hear that all objects of the store may be out of date.
final class RemoteChangeReader: Sendable {
  private let state: Mutex<State>

  fileprivate struct State {
    /// The change mark up to which everything was taken over.
    var mark: String?
    /// How far the history was read.
    var position: StorePosition?
    /// How often it was waited for the rest of a save.
    var waits = 0
  }

  /// How often it is waited for the rest of a save, which comes as a rule within milliseconds, and not at all when the
  /// save has failed in between.
  private static let mostWaits = 50
  /// How long it is waited each time, in milliseconds.
  static let wait = 20

  /// What is new in a store and was not told yet.
  struct News {
    var changes = CommittedChanges()
    /// The saves in several stores that are among it.
    var saves: [CommonSave] = []
    fileprivate let next: State
  }

  /// Begins with what is written from now on.
  init(_ store: AttachedStore, mark: String?) {
    let position = try? store.historyPosition()
    state = Mutex(State(mark: mark, position: position))
  }

  /// Takes over what was written since the last call; nothing when the store has the mark that it had then.
  ///
  /// Where one save has written to several stores, what is new in the others is taken over with it, so that observers
  /// hear of the save once. Two stores that are looked at at the same time may both tell it, which changes nothing.
  ///
  /// - Parameter mark: The store's mark, taken before the call.
  /// - Returns: Whether it is to be looked again soon, because a part of a save is not there yet.
  func read(
    _ store: AttachedStore, mark: String, of coordinator: PersistentStoreCoordinator
  ) -> Bool {
    guard let own = news(of: store, mark: mark, coordinator) else { return false }
    var all = [(reader: self, news: own)]
    if !own.saves.isEmpty {
      let others = coordinator.attachedStores.filter { $0.keepsHistory && $0 !== store }
      all += others.compactMap { $0.watch?.newsForOthers($0, coordinator) }
      var counts: [UUID: Int] = [:]
      for save in all.flatMap(\.news.saves) { counts[save.id, default: 0] += 1 }
      // A store that is not attached here is not waited for.
      let isIncomplete = own.saves.contains { save in
        counts[save.id, default: 0] < save.storeCount && others.count + 1 >= save.storeCount
      }
      let waits = state.withLock { state in
        if isIncomplete { state.waits += 1 }
        return isIncomplete && state.waits <= Self.mostWaits
      }
      if waits { return true }
    }
    var changes = CommittedChanges()
    for (reader, news) in all {
      reader.state.withLock { $0 = news.next }
      changes.append(news.changes)
    }
    if !changes.isEmpty { tell(changes, coordinator) }
    return false
  }

  /// What was written since the last time that it was told; nil when the store has the mark that it had then or cannot
  /// be asked now.
  func news(
    of store: AttachedStore, mark: String, _ coordinator: PersistentStoreCoordinator
  ) -> News? {
    let known = state.withLock { $0 }
    guard known.mark != mark else { return nil }
    do {
      guard store.keepsHistory else { throw PersistenceError.historyExpired(store: "") }
      let found = try store.historyTransactions(after: known.position, limit: nil)
      let others = found.filter { $0.content.writer != coordinator.remoteChanges.writer }
      var news = News(next: State(mark: mark, position: found.last?.position ?? known.position))
      news.changes = try store.changes(of: others)
      news.changes.token = news.next.position.map {
        PersistentHistoryToken(stores: [store.identity.identifier: $0])
      }
      news.saves = others.compactMap(\.content.save)
      store.cache.forget(news.changes.all.map(\.key))
      return news
    } catch let error as PersistenceError
      where error.code == .persistentHistoryTokenExpired || error.code == .corruptStore
    {
      let position = try? store.historyPosition()
      var news = News(next: State(mark: mark, position: position))
      store.cache.removeAll()
      news.changes.outdatedStores = [store.identity]
      return news
    } catch {
      // A store that cannot be asked now is asked again.
      return nil
    }
  }

  private func tell(_ changes: CommittedChanges, _ coordinator: PersistentStoreCoordinator) {
    coordinator.noteCommit()
    var changes = changes
    changes.isRemote = true
    for observer in coordinator.liveObservers() where observer.hearsCommits {
      observer.coordinator(coordinator, didCommit: changes)
    }
  }
}

extension AttachedStore {
  /// The records that transactions have changed, each once.
  fileprivate func changes(of transactions: [StoreTransaction]) throws -> CommittedChanges {
    var kinds: [Int64: StoreRecordChange.Kind] = [:]
    var properties = ChangedProperties()
    for transaction in transactions {
      for change in try transaction.content.changes() {
        if change.kind == .update, let entity = schema.entity(ofKey: change.key) {
          properties.add(change.properties, of: entity)
        }
        switch (kinds[change.key], change.kind) {
        case (.insert, .update): break
        // Nobody here has seen it.
        case (.insert, .delete): kinds[change.key] = nil
        case (_, let kind): kinds[change.key] = kind
        }
      }
    }
    var result = CommittedChanges()
    result.properties = properties
    for (key, kind) in kinds.sorted(by: { $0.key < $1.key }) {
      guard let id = objectID(forKey: key) else { continue }
      switch kind {
      case .insert: result.inserted.append(id)
      case .update: result.updated.append(id)
      case .delete: result.deleted.append(id)
      }
    }
    return result
  }
}

extension CommittedChanges {
  fileprivate var all: [ObjectID] { inserted + updated + deleted }
  fileprivate var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && outdatedStores.isEmpty
  }

  /// Adds what happened in another store.
  fileprivate mutating func append(_ other: CommittedChanges) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    outdatedStores += other.outdatedStores
    token = token.merging(other.token)
    // Where they are not known, nothing is named as updated.
    var both = properties ?? ChangedProperties()
    if let more = other.properties { both.add(more) }
    properties = both
  }
}
