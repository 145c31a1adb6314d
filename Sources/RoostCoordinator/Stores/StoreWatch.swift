// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Looks, again and again, whether others have written a store (B289): soon after each hint of the store, and once a
/// second all the same, because hints can be lost.
///
/// It knows what the commits of the own coordinator leave, so that nobody is told of them twice. No commit waits for
/// it: while one is under way, nothing is decided, because the mark may be the commit's; a write by others that comes
/// before the end of an own commit is told with that one.
final class StoreWatch: Sendable {
  private let store: WeakStore
  private let state: Mutex<State>
  private let timer: Timer
  /// Where it looks: one look at a time.
  private let queue = DispatchQueue(label: "roost.store-watch", qos: .utility)
  private let hinted: HintedLooks
  private let subscription: StoreHintSubscription?

  private struct State {
    /// Whether writes are announced.
    var announces: Bool
    /// What takes over what others write; nil where nobody wants it.
    var reader: RemoteChangeReader?
    /// The mark that stands for all that was told, and the number of the look that found it.
    var known: String?
    var numberOfKnown = 0
    /// The mark of the last look for those who follow the history.
    var followed: String?
    /// How far the history was read, to tell writes of others from what is no change of a record, as a key that is
    /// reserved or a bookmark.
    var position: StorePosition?
    /// The number of the last look that was begun.
    var lastNumber = 0
    /// The own commits that are under way, and all that have begun.
    var commitsUnderWay = 0
    var commitsBegun = 0
    /// The own commits that had begun when it was last read what others wrote.
    var commitsRead = 0

    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  private struct WeakStore: Sendable {
    weak let store: AttachedStore?
  }

  private struct Timer: @unchecked Sendable {
    // Sendable: set going before anybody else sees it, and afterwards only cancelled or set to another interval, which
    // any thread may do.
    let source: any DispatchSourceTimer
  }

  /// Begins to look; writes until now are not told.
  ///
  /// - Parameters:
  ///   - announces: Whether writes are announced.
  ///   - merges: Whether what others write is taken over.
  ///   - seconds: How often it looks without hints.
  init(_ store: AttachedStore, announces: Bool, merges: Bool, seconds: Double) {
    self.store = WeakStore(store: store)
    let hinted = HintedLooks(on: queue)
    self.hinted = hinted
    // First the hints and the position, then the mark: nothing is missed in between.
    subscription = store.store.changeHints?.subscribe { hinted.take($0) }
    let position = announces ? try? store.historyPosition() : nil
    let mark = Self.mark(of: store)
    state = Mutex(
      State(
        announces: announces,
        reader: merges ? RemoteChangeReader(store, mark: mark) : nil, known: mark,
        position: position))
    timer = Timer(source: DispatchSource.makeTimerSource(queue: queue))
    timer.source.setEventHandler { [weak self] in self?.lookNow() }
    setInterval(seconds)
    timer.source.resume()
    hinted.begin { [weak self] in self?.lookNow(isHinted: true) }
  }

  deinit {
    timer.source.cancel()
    subscription?.cancel()
  }

  /// Sets how often it looks without hints.
  func setInterval(_ seconds: Double) {
    let interval = DispatchTimeInterval.milliseconds(Int(seconds * 1000))
    timer.source.schedule(
      deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
  }

  /// The hints that came, and the looks that were made of them.
  var hintCounts: (hints: Int, looks: Int) { hinted.counts }

  /// Whether writes are announced.
  var announces: Bool { state.withLock { $0.announces } }

  /// Whether it is there for more than those who follow the history.
  var isWanted: Bool { state.withLock { $0.announces || $0.reader != nil } }

  /// Takes over what others write, from now on.
  func beginMerging(_ store: AttachedStore) {
    guard state.withLock({ $0.reader == nil }) else { return }
    let reader = RemoteChangeReader(store, mark: Self.mark(of: store))
    state.withLock { $0.reader = $0.reader ?? reader }
  }

  /// Looks, and does what was asked for, before it returns.
  func look() {
    queue.sync { lookNow() }
  }

  /// Looks, on the queue.
  ///
  /// Without a history nobody knows who has written: after an own commit everything would be read anew at each hint.
  /// Then it waits for the next look that is due.
  ///
  /// - Parameter isHinted: Whether it is not due yet.
  private func lookNow(isHinted: Bool = false) {
    guard let store = store.store, let coordinator = store.coordinator else { return }
    let (announces, reader) = state.withLock { ($0.announces, $0.reader) }
    if announces { tell(of: store, coordinator, forgetsRows: reader == nil) }
    let isFollowed = coordinator.historyTicks.isFollowed
    guard reader != nil || isFollowed, let mark = Self.mark(of: store) else { return }
    if let reader {
      let hasOwnCommits = state.withLock { $0.commitsBegun != $0.commitsRead }
      guard store.keepsHistory || !isHinted || !hasOwnCommits else { return }
      state.withLock { $0.commitsRead = $0.commitsBegun }
      if reader.read(store, mark: mark, of: coordinator) {
        queue.asyncAfter(deadline: .now() + .milliseconds(RemoteChangeReader.wait)) {
          [weak self] in
          self?.lookNow()
        }
      }
    }
    let isNew = state.withLock { state in
      defer { state.followed = mark }
      return state.followed != mark
    }
    if isNew { coordinator.historyTicks.tick() }
  }

  /// What was written to the store, for one who has seen a save that has written to another one, too.
  func newsForOthers(
    _ store: AttachedStore, _ coordinator: PersistentStoreCoordinator
  ) -> (reader: RemoteChangeReader, news: RemoteChangeReader.News)? {
    guard let reader = state.withLock({ $0.reader }), let mark = Self.mark(of: store) else {
      return nil
    }
    return reader.news(of: store, mark: mark, coordinator).map { (reader, $0) }
  }

  /// Tells if others have written since it was last looked.
  private func tell(
    of store: AttachedStore, _ coordinator: PersistentStoreCoordinator, forgetsRows: Bool
  ) {
    let beginning = state.withLock { state -> (number: Int, commits: Int)? in
      state.commitsUnderWay == 0 ? (number: state.nextNumber(), commits: state.commitsBegun) : nil
    }
    guard let beginning, let mark = Self.mark(of: store) else { return }
    let wasWritten = state.withLock { state in
      guard state.commitsBegun == beginning.commits, state.numberOfKnown < beginning.number else {
        return false
      }
      defer { (state.known, state.numberOfKnown) = (mark, beginning.number) }
      return state.known != mark
    }
    guard wasWritten, othersHaveSaved(in: store, coordinator) else { return }
    // Cached rows may be out of date, and observers read again.
    if forgetsRows { store.cache.removeAll() }
    coordinator.remoteChanges.announce(store, of: coordinator)
  }

  /// Whether the history has transactions of others since it was read last; true where it cannot be told.
  private func othersHaveSaved(
    in store: AttachedStore, _ coordinator: PersistentStoreCoordinator
  ) -> Bool {
    guard store.keepsHistory else { return true }
    let known = state.withLock { $0.position }
    if let known, let news = try? store.historyTransactions(after: known, limit: nil) {
      state.withLock { $0.position = news.last?.position ?? known }
      return news.contains { $0.content.writer != coordinator.remoteChanges.writer }
    }
    let position = try? store.historyPosition()
    state.withLock { $0.position = position }
    return true
  }

  /// Notes that an own commit begins; ``commitEnds()`` must follow.
  func commitBegins() {
    state.withLock { state in
      state.commitsUnderWay += 1
      state.commitsBegun += 1
    }
  }

  /// Notes that an own commit is over, however it ended.
  func commitEnds() {
    state.withLock { $0.commitsUnderWay -= 1 }
  }

  /// Takes note of the present state, after an own commit has written and before that is told. A store that cannot be
  /// asked now is asked again later.
  func catchUp(_ store: AttachedStore) {
    let number = state.withLock { $0.nextNumber() }
    guard let mark = Self.mark(of: store) else { return }
    state.withLock { state in
      // Who has looked later has seen more.
      guard state.numberOfKnown < number else { return }
      (state.known, state.numberOfKnown) = (mark, number)
    }
  }

  private static func mark(of store: AttachedStore) -> String? {
    try? store.requestingToTheEnd { try $0.changeMarks?.changeMark() }
  }
}

extension PersistentStoreDescription {
  /// Whether writes of the store are told.
  ///
  /// - Throws: `invalidValue` when the option is no truth value.
  var announcesWrites: Bool {
    get throws {
      try Self.truth(
        options[StoreOption.remoteChangeNotification], default: false,
        of: StoreOption.remoteChangeNotification)
    }
  }
}

extension PersistentStoreCoordinator {
  fileprivate var secondsBetweenLooks: Double { state.withLock { $0.secondsBetweenLooks } }
}

extension AttachedStore {
  /// Begins to look what others write, if that was asked for.
  func beginWatching() {
    let merges = coordinator?.state.withLock { $0.mergesRemoteChanges } ?? false
    let announces = (try? store.description.announcesWrites) == true
    let isFollowed = coordinator?.historyTicks.isFollowed ?? false
    guard announces || merges || isFollowed && keepsHistory else { return }
    watch = StoreWatch(
      self, announces: announces, merges: merges, seconds: coordinator?.secondsBetweenLooks ?? 1)
  }
}

/// What others write to the stores of a coordinator.
package struct RemoteChanges {
  let coordinator: PersistentStoreCoordinator

  package init(to coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// Takes it over from now on, also of stores that are added later: rows that are cached are forgotten, and observers
  /// hear of it as of a commit.
  package func beginMerging() {
    let stores = coordinator.state.withLock { state in
      defer { state.mergesRemoteChanges = true }
      return state.mergesRemoteChanges ? [] : state.list.stores
    }
    for store in stores {
      if let watch = store.watch {
        watch.beginMerging(store)
      } else {
        store.beginWatching()
      }
    }
  }

  /// How often stores are looked at without hints, in seconds; 1.
  package var secondsBetweenLooks: Double {
    get { coordinator.secondsBetweenLooks }
    nonmutating set {
      coordinator.state.withLock { $0.secondsBetweenLooks = newValue }
      for store in coordinator.attachedStores { store.watch?.setInterval(newValue) }
    }
  }

  /// The hints of all stores that came, and the looks that were made of them.
  package var hintCounts: (hints: Int, looks: Int) {
    coordinator.attachedStores.compactMap { $0.watch?.hintCounts }
      .reduce((0, 0)) { ($0.0 + $1.hints, $0.1 + $1.looks) }
  }

  /// Looks now what others have written, where that is asked for, and not only when it is time.
  package func look() {
    for store in coordinator.attachedStores { store.watch?.look() }
  }
}
