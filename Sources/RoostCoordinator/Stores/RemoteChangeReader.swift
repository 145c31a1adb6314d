// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Merges writes by other coordinators and processes to a store: the row cache drops the records, and observers
/// receive the changes as they do those of a commit.
///
/// For a store with a history, the reader knows which records were written. For any other store, and where the
/// history no longer goes back far enough, it knows only that something was written: then the whole cache is dropped,
/// and observers learn that all objects of the store may be out of date.
final class RemoteChangeReader: Sendable {
  private let state: Mutex<State>

  fileprivate struct State {
    /// The place up to which everything was merged.
    var place: Place
    /// The deadline of the wait for the other parts of a save; nil when not waiting.
    var waitsUntil: ContinuousClock.Instant?
    /// The last saves over several stores that were reported, so that a part that arrives later is not waited for
    /// again.
    var told: [SaveID] = []
    var unsettled = Unsettled()
  }

  /// Records that own commits have written while the history was read: observers are told what became of them once
  /// these commits were told.
  fileprivate struct Unsettled {
    var records: [ObjectID] = []
    /// The token that includes what was left out.
    var token: PersistentHistoryToken?
  }

  fileprivate struct Place: Equatable {
    /// The change mark.
    var mark: String?
    /// The position up to which the history was read.
    var position: StorePosition?
  }

  /// The maximum wait for the other parts of a save. They usually arrive within milliseconds, and never when the save
  /// failed halfway.
  private static let mostWait = Duration.seconds(1)
  /// The delay of each such wait, in milliseconds.
  static let wait = 20
  /// The number of saves over several stores that are remembered.
  private static let mostTold = 32

  /// The changes of a store that were not reported yet.
  struct News {
    var changes = CommittedChanges()
    /// The saves over several stores among them.
    var saves: [CommonSave] = []
    fileprivate let place: Place
    fileprivate let next: Place
  }

  /// Begins with writes from now on.
  init(_ store: AttachedStore, mark: String?) {
    let position = try? store.historyPosition()
    state = Mutex(State(place: Place(mark: mark, position: position)))
  }

  /// Merges the writes since the last call; does nothing when the change mark is the same.
  ///
  /// Where one save has written to several stores, the new changes of the others are merged with it, so that
  /// observers receive the save once.
  ///
  /// - Parameter mark: The store's change mark, taken before the call.
  /// - Returns: Whether to poll again soon: because a part of a save has not arrived yet, the watch of another store
  ///   has read this one at the same time, or an own commit has overlapped the reading.
  func read(
    _ store: AttachedStore, mark: String, of coordinator: PersistentStoreCoordinator
  ) -> Bool {
    coordinator.remoteChanges.overlaps.reading {
      settle(coordinator)
      let isUnfinished = readNews(of: store, mark: mark, coordinator)
      return isUnfinished || state.withLock { !$0.unsettled.records.isEmpty }
    }
  }

  private func readNews(
    of store: AttachedStore, mark: String, _ coordinator: PersistentStoreCoordinator
  ) -> Bool {
    guard let own = news(of: store, mark: mark, coordinator) else { return false }
    var all = [(reader: self, news: own)]
    if !own.saves.isEmpty {
      // The saves that other stores have reported, or report now.
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
      // A store that is not attached to this coordinator is not waited for.
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
    // The watch of another store has merged what it had read, which may have been less.
    return !isTaken
  }

  /// Whether to keep waiting for the other parts of a save.
  private func waits() -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      let end = state.waitsUntil ?? now + Self.mostWait
      state.waitsUntil = end
      return now < end
    }
  }

  /// Marks news as reported.
  ///
  /// - Returns: Whether they are new: two stores that were polled at the same time may both have read them.
  private func take(_ news: News) -> Bool {
    state.withLock { state in
      guard state.place == news.place else { return false }
      let told = (state.told + news.saves.map(\.id)).suffix(Self.mostTold)
      state = State(place: news.next, told: Array(told), unsettled: state.unsettled)
      return true
    }
  }

  /// Returns the writes since the last report; nil when the change mark is the same or the store cannot be reached
  /// now.
  func news(
    of store: AttachedStore, mark: String, _ coordinator: PersistentStoreCoordinator
  ) -> News? {
    let known = state.withLock { $0.place }
    guard known.mark != mark else { return nil }
    do {
      guard store.keepsHistory else { throw PersistenceError.historyExpired(store: "") }
      let found = try store.historyTransactions(after: known.position, limit: nil)
      let writer = coordinator.remoteChanges.writer
      let others = found.filter { $0.content.writer != writer }
      let next = Place(mark: mark, position: found.last?.position ?? known.position)
      var news = News(place: known, next: next)
      news.changes = try store.changes(in: found) { $0 == writer }
      news.changes.token = token(of: next, in: store)
      news.saves = others.compactMap(\.content.save)
      // The destination of a link may belong to another store, whose keys are unrelated.
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
      // A store that cannot be reached now is polled again later.
      return nil
    }
  }

  private func token(of place: Place, in store: AttachedStore) -> PersistentHistoryToken? {
    place.position.map { PersistentHistoryToken(stores: [store.identity.identifier: $0]) }
  }

  /// Tells changes, without the records that own commits insert or delete meanwhile.
  private func tell(_ changes: CommittedChanges, _ coordinator: PersistentStoreCoordinator) {
    let overlaps = coordinator.remoteChanges.overlaps
    var told = changes
    told.isRemote = true
    let leftOut = overlaps.records(among: changes.inserted + changes.deleted)
    told.leaveOut(leftOut)
    told.token = hold(leftOut, changes.token)
    coordinator.noteCommit()
    if !told.isEmpty {
      for observer in coordinator.liveObservers() where observer.hearsCommits {
        observer.coordinator(coordinator, didCommit: told)
      }
    }
    // Further commits may have been told before these changes.
    _ = hold(overlaps.records(among: told.inserted + told.deleted), nil)
  }

  /// Keeps records for later, and the token as long as there are such.
  ///
  /// - Returns: The token to tell now.
  private func hold(
    _ records: [ObjectID], _ token: PersistentHistoryToken?
  ) -> PersistentHistoryToken? {
    state.withLock { state in
      state.unsettled.records += records
      guard !state.unsettled.records.isEmpty else { return token }
      state.unsettled.token = state.unsettled.token.replaced(by: token)
      return nil
    }
  }

  /// Tells what became of the records that were left out, once the commits that have written them were told.
  private func settle(_ coordinator: PersistentStoreCoordinator) {
    let kept = state.withLock { $0.unsettled }
    let overlaps = coordinator.remoteChanges.overlaps
    guard !kept.records.isEmpty, overlaps.records(among: kept.records, untold: true).isEmpty
    else { return }
    // A store that has been removed has no observers of its records.
    let records = kept.records.filter { coordinator.attachedStore(of: $0) != nil }
    // A store that cannot be reached now is asked again later.
    guard let rows = try? coordinator.rows(for: records, stalenessInterval: 0) else { return }
    state.withLock { $0.unsettled = Unsettled() }
    var changes = CommittedChanges()
    changes.properties = ChangedProperties()
    changes.token = kept.token
    for (id, row) in zip(records, rows) {
      if row == nil { changes.deleted.append(id) } else { changes.inserted.append(id) }
    }
    coordinator.remoteChanges.inOrder { tell(changes, coordinator) }
  }
}

/// The first and the last change of a record in some transactions.
private struct ChangeSpan {
  let first: StoreRecordChange.Kind
  let last: StoreRecordChange.Kind
  /// Whether the last one is this coordinator's own.
  let endsHere: Bool
}

extension AttachedStore {
  /// Returns the records that other writers have changed, each once.
  ///
  /// This coordinator's own changes were told when they were saved. One that followed still decides what to tell: a
  /// record that was inserted again is no deleted one. A record that came and went is told as deleted, since it
  /// may have been read in between.
  fileprivate func changes(
    in transactions: [StoreTransaction], isOwn: (UInt64) -> Bool
  ) throws -> CommittedChanges {
    var spans: [Int64: ChangeSpan] = [:]
    var properties = ChangedProperties()
    for transaction in transactions {
      let isOwn = isOwn(transaction.content.writer)
      for change in try transaction.content.changes() {
        let earlier = spans[change.key]
        if isOwn, earlier == nil { continue }
        if let entity = schema.entity(ofKey: change.key) {
          if change.kind == .update, !isOwn { properties.add(change.properties, of: entity) }
          // A new version of the record, in which any property may differ.
          if change.kind == .insert, earlier != nil { properties.addAll(of: entity) }
        }
        spans[change.key] = ChangeSpan(
          first: earlier?.first ?? change.kind, last: change.kind, endsHere: isOwn)
      }
    }
    var result = CommittedChanges()
    result.properties = properties
    for (key, span) in spans.sorted(by: { $0.key < $1.key }) {
      guard let id = try formerDestinationID(forKey: key) else { continue }
      switch (span.first, span.last) {
      case (_, .delete): if !span.endsHere { result.deleted.append(id) }
      case (.insert, _): result.inserted.append(id)
      default: result.updated.append(id)
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

  /// Removes records that were inserted or deleted.
  fileprivate mutating func leaveOut(_ records: [ObjectID]) {
    guard !records.isEmpty else { return }
    let records = Set(records)
    inserted.removeAll(where: records.contains)
    deleted.removeAll(where: records.contains)
  }

  /// Adds the changes of another store.
  fileprivate mutating func append(_ other: CommittedChanges) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    outdatedStores += other.outdatedStores
    token = token.replaced(by: other.token)
    // Where the properties are unknown, no record is listed as updated.
    var both = properties ?? ChangedProperties()
    if let more = other.properties { both.add(more) }
    properties = both
  }
}
