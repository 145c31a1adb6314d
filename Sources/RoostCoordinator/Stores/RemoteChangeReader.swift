// SPDX-License-Identifier: Apache-2.0

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

  private struct State {
    /// The change mark up to which everything was taken over.
    var mark: String?
    /// How far the history was read.
    var position: StorePosition?
  }

  /// Begins with what is written from now on.
  init(_ store: AttachedStore, mark: String?) {
    let position = try? store.historyPosition()
    state = Mutex(State(mark: mark, position: position))
  }

  /// Takes over what was written since the last call; nothing when the store has the mark that it had then. Called from
  /// one thread at a time.
  ///
  /// - Parameter mark: The store's mark, taken before the call.
  func read(_ store: AttachedStore, mark: String, of coordinator: PersistentStoreCoordinator) {
    let known = state.withLock { $0 }
    guard known.mark != mark else { return }
    do {
      guard store.keepsHistory else { throw PersistenceError.historyExpired(store: "") }
      let news = try store.historyTransactions(after: known.position, limit: nil)
      let changes = try store.changes(
        of: news.filter { $0.content.writer != coordinator.remoteChanges.writer })
      state.withLock { state in
        state.mark = mark
        state.position = news.last?.position ?? known.position
      }
      guard !changes.isEmpty else { return }
      store.cache.forget(changes.all.map(\.key))
      tell(changes, coordinator)
    } catch let error as PersistenceError
      where error.code == .persistentHistoryTokenExpired || error.code == .corruptStore
    {
      let position = try? store.historyPosition()
      state.withLock { $0 = State(mark: mark, position: position) }
      store.cache.removeAll()
      var changes = CommittedChanges()
      changes.outdatedStores = [store.identity]
      tell(changes, coordinator)
    } catch {
      // A store that cannot be asked now is asked again.
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
  fileprivate var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}
