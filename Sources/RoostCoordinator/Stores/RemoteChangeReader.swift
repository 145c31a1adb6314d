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
    /// How far everything was taken over.
    var place: Place
    /// Until when it is waited for the rest of a save; nil while it is not.
    var waitsUntil: ContinuousClock.Instant?
    /// The last saves in several stores that were told, so that a part that comes later is not waited for again.
    var told: [SaveID] = []
  }

  fileprivate struct Place: Equatable {
    /// The change mark.
    var mark: String?
    /// How far the history was read.
    var position: StorePosition?
  }

  /// How long it is waited for the rest of a save, which comes as a rule within milliseconds, and not at all when the
  /// save has failed in between.
  private static let mostWait = Duration.seconds(1)
  /// How long it is waited each time, in milliseconds.
  static let wait = 20
  /// How many saves in several stores are remembered.
  private static let mostTold = 32

  /// What is new in a store and was not told yet.
  struct News {
    var changes = CommittedChanges()
    /// The saves in several stores that are among it.
    var saves: [CommonSave] = []
    fileprivate let place: Place
    fileprivate let next: Place
  }

  /// Begins with what is written from now on.
  init(_ store: AttachedStore, mark: String?) {
    let position = try? store.historyPosition()
    state = Mutex(State(place: Place(mark: mark, position: position)))
  }

  /// Takes over what was written since the last call; nothing when the store has the mark that it had then.
  ///
  /// Where one save has written to several stores, what is new in the others is taken over with it, so that observers
  /// hear of the save once.
  ///
  /// - Parameter mark: The store's mark, taken before the call.
  /// - Returns: Whether it is to be looked again soon, because a part of a save is not there yet, or because the watch
  ///   of another store has read this one at the same time.
  func read(
    _ store: AttachedStore, mark: String, of coordinator: PersistentStoreCoordinator
  ) -> Bool {
    guard let own = news(of: store, mark: mark, coordinator) else { return false }
    var all = [(reader: self, news: own)]
    if !own.saves.isEmpty {
      // The saves that other stores have told, or tell now.
      var known: [String: Set<SaveID>] = [:]
      for other in coordinator.attachedStores where other.keepsHistory && other !== store {
        guard let reader = other.watch?.reader else { continue }
        var saves = Set(reader.state.withLock { $0.told })
        if let news = other.watch?.newsForOthers(other, coordinator) {
          saves.formUnion(news.saves.map(\.id))
          all.append((reader, news))
        }
        known[other.identity.identifier] = saves
      }
      // A store that is not attached here is not waited for.
      let isIncomplete = own.saves.contains { save in
        save.stores.contains { known[$0]?.contains(save.id) == false }
      }
      if isIncomplete, waits() { return true }
    }
    var isTaken = true
    coordinator.remoteChanges.inOrder {
      var changes = CommittedChanges()
      for (reader, news) in all {
        if reader.take(news) {
          changes.append(news.changes)
        } else if reader === self {
          isTaken = false
        }
      }
      if !changes.isEmpty { tell(changes, coordinator) }
    }
    // The watch of another store has taken what it had read; that may have been less.
    return !isTaken
  }

  /// Whether it is still waited for the rest of a save.
  private func waits() -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      let end = state.waitsUntil ?? now + Self.mostWait
      state.waitsUntil = end
      return now < end
    }
  }

  /// Takes note of what is told now.
  ///
  /// - Returns: Whether it is new: two stores that were looked at at the same time may both have read it.
  private func take(_ news: News) -> Bool {
    state.withLock { state in
      guard state.place == news.place else { return false }
      let told = (state.told + news.saves.map(\.id)).suffix(Self.mostTold)
      state = State(place: news.next, told: Array(told))
      return true
    }
  }

  /// What was written since the last time that it was told; nil when the store has the mark that it had then or cannot
  /// be asked now.
  func news(
    of store: AttachedStore, mark: String, _ coordinator: PersistentStoreCoordinator
  ) -> News? {
    let known = state.withLock { $0.place }
    guard known.mark != mark else { return nil }
    do {
      guard store.keepsHistory else { throw PersistenceError.historyExpired(store: "") }
      let found = try store.historyTransactions(after: known.position, limit: nil)
      let others = found.filter { $0.content.writer != coordinator.remoteChanges.writer }
      let next = Place(mark: mark, position: found.last?.position ?? known.position)
      var news = News(place: known, next: next)
      news.changes = try store.changes(of: others)
      news.changes.token = token(of: next, in: store)
      news.saves = others.compactMap(\.content.save)
      // The far end of a link may be of another store, whose keys are its own.
      store.cache.forget(news.changes.all.filter(store.holds(recordOf:)).map(\.key))
      return news
    } catch let error as PersistenceError
      where error.code == .persistentHistoryTokenExpired || error.code == .corruptStore
    {
      let position = try? store.historyPosition()
      var news = News(place: known, next: Place(mark: mark, position: position))
      store.cache.removeAll()
      news.changes.outdatedStores = [store.identity]
      news.changes.token = token(of: news.next, in: store)
      return news
    } catch {
      // A store that cannot be asked now is asked again.
      return nil
    }
  }

  private func token(of place: Place, in store: AttachedStore) -> PersistentHistoryToken? {
    place.position.map { PersistentHistoryToken(stores: [store.identity.identifier: $0]) }
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
        // It was removed and came back: another version of the one that was there, of which anything may be another.
        case (.delete, .insert):
          kinds[change.key] = .update
          if let entity = schema.entity(ofKey: change.key) { properties.addAll(of: entity) }
        case (_, let kind): kinds[change.key] = kind
        }
      }
    }
    var result = CommittedChanges()
    result.properties = properties
    for (key, kind) in kinds.sorted(by: { $0.key < $1.key }) {
      guard let id = (try? destinationID(forKey: key)) ?? nil else { continue }
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
    token = token.replaced(by: other.token)
    // Where they are not known, nothing is named as updated.
    var both = properties ?? ChangedProperties()
    if let more = other.properties { both.add(more) }
    properties = both
  }
}
