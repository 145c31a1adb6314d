// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The ability of a store to notify at once of any write, also by other processes. It learns of writes from the file
/// system, the server or its own memory.
///
/// Hints are unreliable: one may be lost, duplicated or spurious. So a receiver checks the store's
/// ``StoreChangeMarks``, and polls them now and then.
///
/// ```swift
/// let subscription = store.changeHints?.subscribe { _ in look() }
/// // ... later
/// subscription?.cancel()
/// ```
public protocol StoreChangeHints: Sendable {
  /// Subscribes to hints.
  ///
  /// A store that cannot send hints yet, for example while its server is unreachable, begins when it can.
  ///
  /// - Parameter receive: Called on a thread of the store, which it must not block, and never under a lock of the
  ///   store.
  /// - Returns: The subscription; it ends when it is cancelled or deallocated.
  /// - Complexity: No synchronous round trip.
  func subscribe(
    _ receive: @escaping @Sendable (StoreChangeHint) -> Void
  ) -> StoreHintSubscription
}

/// The kind of a hint.
///
/// ```swift
/// if hint == .beingWritten { lookAgainSoon() }
/// ```
public enum StoreChangeHint: Sendable, Hashable, CaseIterable {
  /// The store was written, or may have been while hints were lost: the changes can be read.
  case written
  /// The store is being written: the changes can be read now, or shortly.
  case beingWritten
}

/// A subscription to hints, which lasts until it is cancelled or deallocated.
///
/// ```swift
/// return StoreHintSubscription { server.stopListening(number) }
/// ```
public final class StoreHintSubscription: Sendable {
  private struct State {
    var end: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  /// Makes a subscription.
  ///
  /// - Parameter cancel: Ends the subscription. It is called once, from any thread, and does not wait for hints in
  ///   delivery.
  public init(cancel: @escaping @Sendable () -> Void) {
    state = Mutex(State(end: cancel))
  }

  deinit {
    cancel()
  }

  /// Ends the subscription; a hint in delivery may still arrive. Cancelling twice does no harm.
  public func cancel() {
    let end = state.withLock { state in
      defer { state.end = nil }
      return state.end
    }
    end?()
  }
}

/// The subscribers to the hints of a store that detects its writes itself, such as an in-memory store.
///
/// ```swift
/// let hints = StoreHintReceivers()
/// // ... after each commit
/// hints.send(.written)
/// ```
public final class StoreHintReceivers: StoreChangeHints {
  private typealias Receiver = @Sendable (StoreChangeHint) -> Void

  private struct State {
    var nextNumber = 0
    var receivers: [Int: Receiver] = [:]
  }

  private let state = Mutex(State())
  private let number = Atomic<Int>(0)

  /// Makes an empty list.
  public init() {}

  /// The number of subscribers.
  public var count: Int { number.load(ordering: .acquiring) }

  /// Adds a subscriber.
  ///
  /// - Parameter receive: Called by ``send(_:)``.
  public func subscribe(
    _ receive: @escaping @Sendable (StoreChangeHint) -> Void
  ) -> StoreHintSubscription {
    let added = state.withLock { state in
      state.nextNumber += 1
      state.receivers[state.nextNumber] = receive
      number.store(state.receivers.count, ordering: .releasing)
      return state.nextNumber
    }
    return StoreHintSubscription { [weak self] in
      guard let self else { return }
      state.withLock { state in
        state.receivers[added] = nil
        self.number.store(state.receivers.count, ordering: .releasing)
      }
    }
  }

  /// Sends a hint to all subscribers; without any, takes no lock.
  ///
  /// - Parameter hint: The hint.
  public func send(_ hint: StoreChangeHint) {
    guard count > 0 else { return }
    for receiver in state.withLock({ Array($0.receivers.values) }) { receiver(hint) }
  }
}
