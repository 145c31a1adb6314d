// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Polls a store for writes by other coordinators and processes (B289): soon after each change hint, and regardless
/// of hints at an interval, because hints can be lost: once a second, and less often while hints prove reliable
/// (``PollingInterval``).
///
/// The watch knows the change marks that the coordinator's own commits leave, so that they are not reported twice. No
/// commit waits for the watch: while one is under way, nothing is decided, because the mark may be that of the
/// commit; a write by others before the end of an own commit is reported together with it.
final class StoreWatch: Sendable {
  private let store: WeakStore
  private let state: Mutex<State>
  private let timer: Timer
  /// Serialises the polls.
  private let queue = DispatchQueue(label: "roost.store-watch", qos: .utility)
  private let hinted: HintDebouncer
  private let subscription: StoreHintSubscription?

  private struct State {
    /// Whether writes are announced.
    var announces: Bool
    /// Merges writes of others; nil while merging is not wanted.
    var reader: RemoteChangeReader?
    /// The last change mark that was reported, and the number of the poll that found it.
    var known: String?
    var numberOfKnown = 0
    /// The mark at the last poll for history followers.
    var followed: String?
    /// The mark at the last search for prepared parts of saves over several stores, and whether it found some.
    var looked: String?
    var hasParts = false
    /// The position up to which the history was read, to tell writes of others from mark changes without a record
    /// change, such as a key reservation or a bookmark.
    var position: StorePosition?
    /// The number of the last poll that was started.
    var lastNumber = 0
    /// The polling interval without hints.
    var pace: PollingInterval
    /// Whether an extra poll is already scheduled.
    var isLookPlanned = false
    /// The mark at the last poll, and the number of own commits begun by then.
    var seen: String?
    var commitsSeen = 0
    /// The number of own commits under way, and of all that have begun.
    var commitsUnderWay = 0
    var commitsBegun = 0
    /// The number of own commits begun when writes of others were last read.
    var commitsRead = 0

    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  /// The delay before a prepared part that was just found is checked again, in milliseconds.
  private static let partWait = 300

  /// The reason for a poll.
  private enum Occasion {
    /// The interval has passed.
    case due
    case hint
    /// A caller requested it, or a check was left unfinished.
    case wish
  }

  private struct WeakStore: Sendable {
    weak let store: AttachedStore?
  }

  private struct Timer: @unchecked Sendable {
    // Sendable: activated before it is shared, and afterwards only cancelled or rescheduled, which is safe on any
    // thread.
    let source: any DispatchSourceTimer
  }

  /// Begins to poll; writes until now are not reported.
  ///
  /// - Parameters:
  ///   - announces: Whether writes are announced.
  ///   - merges: Whether writes of others are merged.
  ///   - seconds: The polling interval without hints.
  init(_ store: AttachedStore, announces: Bool, merges: Bool, seconds: Double) {
    self.store = WeakStore(store: store)
    let hinted = HintDebouncer(on: queue)
    self.hinted = hinted
    // First the hints and the position, then the mark: no write is missed in between.
    subscription = store.store.changeHints?.subscribe { hinted.take($0) }
    let position = announces ? try? store.historyPosition() : nil
    let mark = Self.mark(of: store)
    state = Mutex(
      State(
        announces: announces,
        reader: merges ? RemoteChangeReader(store, mark: mark) : nil, known: mark,
        position: position, pace: PollingInterval(seconds: seconds), seen: mark))
    timer = Timer(source: DispatchSource.makeTimerSource(queue: queue))
    timer.source.setEventHandler { [weak self] in self?.lookNow(.due) }
    schedule(seconds)
    timer.source.resume()
    hinted.begin { [weak self] in self?.lookNow(.hint) }
  }

  deinit {
    timer.source.cancel()
    subscription?.cancel()
  }

  /// Sets the polling interval that applies while hints are not trusted.
  func setInterval(_ seconds: Double) {
    state.withLock { $0.pace.shortest = seconds }
    schedule(seconds)
  }

  /// The current polling interval, in seconds.
  var interval: Double { state.withLock { $0.pace.seconds } }

  private func schedule(_ seconds: Double) {
    let interval = DispatchTimeInterval.milliseconds(Int(seconds * 1000))
    timer.source.schedule(
      deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
  }

  /// The number of hints received and of polls made.
  var hintCounts: (hints: Int, looks: Int) { hinted.counts }

  /// Whether writes are announced.
  var announces: Bool { state.withLock { $0.announces } }

  /// Merges writes of others from now on.
  func beginMerging(_ store: AttachedStore) {
    guard state.withLock({ $0.reader == nil }) else { return }
    let reader = RemoteChangeReader(store, mark: Self.mark(of: store))
    let seconds = state.withLock { state in
      state.reader = state.reader ?? reader
      return state.pace.shortest
    }
    setInterval(seconds)
  }

  /// Polls the store, and handles the result before it returns.
  func look() {
    queue.sync { lookNow(.wish) }
  }

  /// Polls the store, on the queue.
  ///
  /// Without a history, the writer of a change is unknown: after an own commit, every hint would cause everything to
  /// be read again. In that case the watch waits for the next poll that is due.
  ///
  /// - Parameter occasion: The reason for the poll.
  private func lookNow(_ occasion: Occasion) {
    guard let store = store.store, let coordinator = store.coordinator else { return }
    let (announces, reader) = state.withLock { ($0.announces, $0.reader) }
    let hints = hinted.counts.hints
    let told = announces ? tell(of: store, coordinator, forgetsRows: reader == nil) : nil
    let isFollowed = coordinator.historyTicks.isFollowed
    guard reader != nil || isFollowed else {
      keepPace(occasion, told, hints: hints, maySlowDown: true)
      if let told { settleParts(of: store, coordinator, mark: told) }
      return
    }
    let mark = Self.mark(of: store)
    keepPace(
      occasion, announces && told == nil ? nil : mark, hints: hints,
      maySlowDown: store.keepsHistory || reader == nil)
    guard let mark else { return }
    settleParts(of: store, coordinator, mark: mark)
    if let reader {
      let hasOwnCommits = state.withLock { $0.commitsBegun != $0.commitsRead }
      guard store.keepsHistory || occasion != .hint || !hasOwnCommits else { return }
      state.withLock { $0.commitsRead = $0.commitsBegun }
      if reader.read(store, mark: mark, of: coordinator) { lookSoon(RemoteChangeReader.wait) }
    }
    let isNew = state.withLock { state in
      defer { state.followed = mark }
      return state.followed != mark
    }
    if isNew { coordinator.historyTicks.tick() }
  }

  /// Settles prepared parts that other coordinators left behind, once they have been there for a while.
  private func settleParts(
    of store: AttachedStore, _ coordinator: PersistentStoreCoordinator, mark: String
  ) {
    let isWanted = state.withLock { state in
      defer { state.looked = mark }
      return state.hasParts || state.looked != mark
    }
    guard isWanted, coordinator.state.withLock({ $0.list.stores.count }) > 1 else { return }
    let found = try? store.requestingToTheEnd { _ in
      SaveRecovery(coordinator: coordinator).settleOverdue(store)
    }
    state.withLock { $0.hasParts = found?.left ?? true }
    if found?.early == true { lookSoon(Self.partWait) }
  }

  /// Schedules another poll, unless one is scheduled already.
  private func lookSoon(_ milliseconds: Int) {
    let isNew = state.withLock { state in
      defer { state.isLookPlanned = true }
      return !state.isLookPlanned
    }
    guard isNew else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      self?.state.withLock { $0.isLookPlanned = false }
      self?.lookNow(.wish)
    }
  }

  /// Adapts the polling interval to the result of a poll.
  ///
  /// - Parameters:
  ///   - mark: The mark that was found; nil when it is unknown what was written, for example during an own commit:
  ///     then the interval returns to its shortest.
  ///   - hints: The number of hints before the poll.
  ///   - maySlowDown: Whether hints alone suffice to detect writes.
  private func keepPace(_ occasion: Occasion, _ mark: String?, hints: Int, maySlowDown: Bool) {
    let change = state.withLock { state -> Double? in
      let known = state.pace.seconds
      // During an own commit, the writer of a change is unknown.
      let isOwn = state.commitsBegun != state.commitsSeen || state.commitsUnderWay > 0
      state.commitsSeen = state.commitsBegun
      let found = mark.map { $0 != state.seen && !isOwn }
      state.seen = mark ?? state.seen
      switch (occasion, found) {
      case (_, nil): state.pace.noteFailure()
      case (.due, let found?):
        state.pace.noteDue(found: found, hints: hints, maySlowDown: maySlowDown)
      case (.hint, let found?): state.pace.noteHinted(found: found, hints: hints)
      case (.wish, _): state.pace.noteWished(hints: hints)
      }
      return state.pace.seconds == known ? nil : state.pace.seconds
    }
    if let change { schedule(change) }
  }

  /// Merges writes of others; nil while merging is not wanted.
  var reader: RemoteChangeReader? { state.withLock { $0.reader } }

  /// Returns the new changes of the store, for the reader of another store that has seen a save over both.
  func newsForOthers(
    _ store: AttachedStore, _ coordinator: PersistentStoreCoordinator
  ) -> RemoteChangeReader.News? {
    guard let reader, let mark = Self.mark(of: store) else { return nil }
    return reader.news(of: store, mark: mark, coordinator)
  }

  /// Announces writes of others since the last poll.
  ///
  /// - Returns: The mark that was found; nil where there is none, or an own commit is under way.
  private func tell(
    of store: AttachedStore, _ coordinator: PersistentStoreCoordinator, forgetsRows: Bool
  ) -> String? {
    let beginning = state.withLock { state -> (number: Int, commits: Int)? in
      state.commitsUnderWay == 0 ? (number: state.nextNumber(), commits: state.commitsBegun) : nil
    }
    guard let beginning, let mark = Self.mark(of: store) else { return nil }
    let wasWritten = state.withLock { state -> Bool? in
      guard state.commitsBegun == beginning.commits else { return nil }
      guard state.numberOfKnown < beginning.number else { return false }
      defer { (state.known, state.numberOfKnown) = (mark, beginning.number) }
      return state.known != mark
    }
    guard let wasWritten else { return nil }
    guard wasWritten else { return mark }
    let writing = writingOfOthers(in: store, coordinator)
    if case .none = writing { return mark }
    // Cached rows may be out of date, and observers read again.
    if forgetsRows {
      if case .records(let keys) = writing {
        store.cache.forget(keys)
      } else {
        store.cache.removeAll()
      }
    }
    coordinator.remoteChanges.announce(store, of: coordinator)
    return mark
  }

  /// Returns the writes of others since the history was last read.
  private func writingOfOthers(
    in store: AttachedStore, _ coordinator: PersistentStoreCoordinator
  ) -> ExternalChanges {
    guard store.keepsHistory else { return .unknown }
    let known = state.withLock { $0.position }
    if let known, let news = try? store.historyTransactions(after: known, limit: nil) {
      state.withLock { $0.position = news.last?.position ?? known }
      return ExternalChanges(news, than: coordinator.remoteChanges.writer)
    }
    let position = try? store.historyPosition()
    state.withLock { $0.position = position }
    return .unknown
  }

  /// Notes that an own commit begins; ``commitEnds()`` must follow.
  func commitBegins() {
    state.withLock { state in
      state.commitsUnderWay += 1
      state.commitsBegun += 1
    }
  }

  /// Notes that an own commit has ended, whatever its outcome.
  func commitEnds() {
    state.withLock { $0.commitsUnderWay -= 1 }
  }

  /// Records the current mark, after an own commit has written and before it is reported. A store that cannot be
  /// reached now is polled again later.
  func catchUp(_ store: AttachedStore) {
    let number = state.withLock { $0.nextNumber() }
    guard let mark = Self.mark(of: store) else { return }
    state.withLock { state in
      // A later poll has seen at least as much.
      guard state.numberOfKnown < number else { return }
      (state.known, state.numberOfKnown) = (mark, number)
    }
  }

  private static func mark(of store: AttachedStore) -> String? {
    try? store.requestingToTheEnd { try $0.changeMarks?.changeMark() }
  }
}

extension PersistentStoreDescription {
  /// Whether writes of the store are announced.
  ///
  /// - Throws: `invalidValue` when the option is not a Boolean.
  var announcesWrites: Bool {
    get throws {
      try Self.truth(
        options[StoreOption.remoteChangeNotification], default: false,
        of: StoreOption.remoteChangeNotification)
    }
  }
}

extension PersistentStoreCoordinator {
  var secondsBetweenLooks: Double { state.withLock { $0.secondsBetweenLooks } }
}
