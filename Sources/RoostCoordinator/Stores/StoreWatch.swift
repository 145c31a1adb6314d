// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Looks, again and again, whether others have written a store (B289): soon after each hint of the store, and all the
/// same without one, because hints can be lost: once a second, and less often while they are not (``LookPace``).
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
    /// The mark of the last look for parts of saves over several stores, and whether there were any.
    var looked: String?
    var hasParts = false
    /// How far the history was read, to tell writes of others from what is no change of a record, as a key that is
    /// reserved or a bookmark.
    var position: StorePosition?
    /// The number of the last look that was begun.
    var lastNumber = 0
    /// How often it is looked without hints.
    var pace: LookPace
    /// Whether it is looked soon in any case.
    var isLookPlanned = false
    /// The mark of the last look, and the own commits that had begun then.
    var seen: String?
    var commitsSeen = 0
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

  /// After how many milliseconds it is looked again at a part that was just found.
  private static let partWait = 300

  /// What a look is made for.
  private enum Occasion {
    /// It is time.
    case due
    case hint
    /// A caller wants it, or something was left to be decided.
    case wish
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
        position: position, pace: LookPace(seconds: seconds), seen: mark))
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

  /// Sets how often it looks without hints, where these are not trusted.
  func setInterval(_ seconds: Double) {
    state.withLock { $0.pace.shortest = seconds }
    schedule(seconds)
  }

  /// How often it looks without hints at the moment, in seconds.
  var interval: Double { state.withLock { $0.pace.seconds } }

  private func schedule(_ seconds: Double) {
    let interval = DispatchTimeInterval.milliseconds(Int(seconds * 1000))
    timer.source.schedule(
      deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
  }

  /// The hints that came, and the looks that were made of them.
  var hintCounts: (hints: Int, looks: Int) { hinted.counts }

  /// Whether writes are announced.
  var announces: Bool { state.withLock { $0.announces } }

  /// Takes over what others write, from now on.
  func beginMerging(_ store: AttachedStore) {
    guard state.withLock({ $0.reader == nil }) else { return }
    let reader = RemoteChangeReader(store, mark: Self.mark(of: store))
    let seconds = state.withLock { state in
      state.reader = state.reader ?? reader
      return state.pace.shortest
    }
    setInterval(seconds)
  }

  /// Looks, and does what was asked for, before it returns.
  func look() {
    queue.sync { lookNow(.wish) }
  }

  /// Looks, on the queue.
  ///
  /// Without a history nobody knows who has written: after an own commit everything would be read anew at each hint.
  /// Then it waits for the next look that is due.
  ///
  /// - Parameter occasion: What it is made for.
  private func lookNow(_ occasion: Occasion) {
    guard let store = store.store, let coordinator = store.coordinator else { return }
    let (announces, reader) = state.withLock { ($0.announces, $0.reader) }
    let hints = hinted.counts.hints
    let told = announces ? tell(of: store, coordinator, forgetsRows: reader == nil) : nil
    let isFollowed = coordinator.historyTicks.isFollowed
    guard reader != nil || isFollowed else {
      return keepPace(occasion, told, hints: hints, maySlowDown: true)
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

  /// Ends what others have left of saves over several stores, when it has been there for a while.
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

  /// Looks once more, unless that is planned already.
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

  /// Decides how often it is looked from what a look has found.
  ///
  /// - Parameters:
  ///   - mark: The mark that was found; nil where it is not known what was written, as beside an own commit: then it is
  ///     looked again as soon as without hints.
  ///   - hints: How many hints had come before it.
  ///   - maySlowDown: Whether a hint is enough to be told.
  private func keepPace(_ occasion: Occasion, _ mark: String?, hints: Int, maySlowDown: Bool) {
    let change = state.withLock { state -> Double? in
      let known = state.pace.seconds
      // Whose write it is cannot be told beside an own one.
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

  /// What takes over what others write; nil where nobody wants it.
  var reader: RemoteChangeReader? { state.withLock { $0.reader } }

  /// What was written to the store, for one who has seen a save that has written to another one, too.
  func newsForOthers(
    _ store: AttachedStore, _ coordinator: PersistentStoreCoordinator
  ) -> RemoteChangeReader.News? {
    guard let reader, let mark = Self.mark(of: store) else { return nil }
    return reader.news(of: store, mark: mark, coordinator)
  }

  /// Tells if others have written since it was last looked.
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

  /// What others have written since the history was read last.
  private func writingOfOthers(
    in store: AttachedStore, _ coordinator: PersistentStoreCoordinator
  ) -> WritingOfOthers {
    guard store.keepsHistory else { return .unknown }
    let known = state.withLock { $0.position }
    if let known, let news = try? store.historyTransactions(after: known, limit: nil) {
      state.withLock { $0.position = news.last?.position ?? known }
      return WritingOfOthers(news, than: coordinator.remoteChanges.writer)
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
  var secondsBetweenLooks: Double { state.withLock { $0.secondsBetweenLooks } }
}
