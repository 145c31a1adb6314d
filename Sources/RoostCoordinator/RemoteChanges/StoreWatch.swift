// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Looks, again and again, whether others have written a store (B289).
///
/// It takes turns with the commits of the own coordinator, and knows what they leave: nobody is told of them twice.
final class StoreWatch: Sendable {
  /// How often it looks, in seconds.
  static let interval = 1

  private let store: WeakStore
  private let known: Mutex<String?>
  private let timer: Timer

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
    known = Mutex(Self.mark(of: store))
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
    if store.commitLock.withLock({ catchUp(store) }) {
      coordinator.remoteChanges.announce(store, of: coordinator)
    }
  }

  /// Takes note of the present state; the caller holds the store's commit lock.
  ///
  /// - Returns: Whether it is another one than before. A store that cannot be asked now is asked again later.
  @discardableResult
  func catchUp(_ store: AttachedStore) -> Bool {
    guard let mark = Self.mark(of: store) else { return false }
    return known.withLock { known in
      defer { known = mark }
      return known != mark
    }
  }

  private static func mark(of store: AttachedStore) -> String? {
    try? store.requesting { try $0.changeMarks?.changeMark() }
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
