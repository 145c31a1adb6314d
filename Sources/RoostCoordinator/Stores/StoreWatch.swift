// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Looks, again and again, whether others have written a store (B289).
///
/// It knows what the commits of the own coordinator leave, so that nobody is told of them twice. No commit waits for
/// it: while one is under way, nothing is decided, because the mark may be the commit's; a write by others that comes
/// before the end of an own commit is told with that one.
final class StoreWatch: Sendable {
  /// How often it looks, in seconds.
  static let interval = 1

  private let store: WeakStore
  private let state: Mutex<State>
  private let timer: Timer

  private struct State {
    /// The mark that stands for all that was told, and the number of the look that found it.
    var known: String?
    var numberOfKnown = 0
    /// The number of the last look that was begun.
    var lastNumber = 0
    /// The own commits that are under way, and all that have begun.
    var commitsUnderWay = 0
    var commitsBegun = 0

    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  private struct WeakStore: Sendable {
    weak let store: AttachedStore?
  }

  private struct Timer: @unchecked Sendable {
    // Sendable: set going before anybody else sees it, and afterwards only cancelled, which any thread may do.
    let source: any DispatchSourceTimer
  }

  /// Begins to look; writes until now are not told.
  init(_ store: AttachedStore) {
    self.store = WeakStore(store: store)
    state = Mutex(State(known: Self.mark(of: store)))
    timer = Timer(source: DispatchSource.makeTimerSource(queue: .global(qos: .utility)))
    timer.source.setEventHandler { [weak self] in self?.look() }
    let interval = DispatchTimeInterval.seconds(Self.interval)
    timer.source.schedule(
      deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
    timer.source.resume()
  }

  deinit {
    timer.source.cancel()
  }

  /// Tells if others have written since it was last looked.
  func look() {
    guard let store = store.store, let coordinator = store.coordinator else { return }
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
    guard wasWritten else { return }
    // Cached rows may be out of date, and observers read again.
    store.cache.removeAll()
    coordinator.remoteChanges.announce(store, of: coordinator)
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

extension AttachedStore {
  /// Begins to tell of writes, if that was asked for.
  func beginWatching() {
    if (try? store.description.announcesWrites) == true { watch = StoreWatch(self) }
  }
}
