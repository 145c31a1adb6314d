// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The ability of a store to say at once that it was written, by whomever: a facet of a store that hears of it from its
/// file system, its server or its memory.
///
/// A hint is no promise. One may be lost, come twice, or stand for nothing, so a receiver looks at the store's
/// ``StoreChangeMarks``, and looks without a hint now and then.
///
/// ```swift
/// let subscription = store.changeHints?.subscribe { _ in look() }
/// // ... later
/// subscription?.cancel()
/// ```
public protocol StoreChangeHints: Sendable {
  /// Begins to send hints.
  ///
  /// A store that cannot send any now, as when its server is not reached, begins when it can.
  ///
  /// - Parameter receive: Called on a thread of the store's, which it must not keep, and never under a lock of it.
  /// - Returns: What ends it; it ends too when nobody has that any more.
  /// - Complexity: No round trip that the caller waits for.
  func subscribe(
    _ receive: @escaping @Sendable (StoreChangeHint) -> Void
  ) -> StoreHintSubscription
}

/// What a store says of a write.
///
/// ```swift
/// if hint == .beingWritten { lookAgainSoon() }
/// ```
public enum StoreChangeHint: Sendable, Hashable, CaseIterable {
  /// The store was written, or may have been while hints were lost: what was written can be read.
  case written
  /// The store is being written: what is written can be read now, or in a moment.
  case beingWritten
}

/// The receipt of hints, until it is cancelled or nobody has it any more.
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
  /// - Parameter cancel: Ends it. It is called once, from any thread, and does not wait for hints under way.
  public init(cancel: @escaping @Sendable () -> Void) {
    state = Mutex(State(end: cancel))
  }

  deinit {
    cancel()
  }

  /// Ends it; a hint that is under way may still come. Twice does no harm.
  public func cancel() {
    let end = state.withLock { state in
      defer { state.end = nil }
      return state.end
    }
    end?()
  }
}

/// Those who get the hints of a store that hears of its writes by itself, as one in memory.
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

  /// Makes a list of nobody.
  public init() {}

  /// How many there are.
  public var count: Int { number.load(ordering: .acquiring) }

  /// Adds a receiver.
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

  /// Sends a hint to all; without a lock and a wait where there is nobody.
  ///
  /// - Parameter hint: The hint.
  public func send(_ hint: StoreChangeHint) {
    guard count > 0 else { return }
    for receiver in state.withLock({ Array($0.receivers.values) }) { receiver(hint) }
  }
}
