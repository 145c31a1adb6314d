// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Tells that stores were written: one after the other, and never while a save is under way on the same thread.
final class RemoteChangeAnnouncer: Sendable {
  private typealias Message = PersistentStoreCoordinator.RemoteChangeMessage

  private struct State {
    var nextNumber = 0
    var readers: [Int: AsyncStream<Message>.Continuation] = [:]
  }

  /// What the transactions of this coordinator are known by in the history of its stores.
  let writer = UInt64.random(in: 1 ... .max)
  /// Who follows the stores' histories.
  let ticks = HistoryTicks()
  private let state = Mutex(State())
  /// Held while it is decided what is new, and told.
  private let order = Mutex(())
  private let queue = DispatchQueue(label: "roost.coordinator.remote-changes")

  deinit {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
  }

  /// Tells observers in one order what was read of the histories: two stores that were looked at at the same time may
  /// have read the same.
  ///
  /// - Parameter body: Asks no store.
  func inOrder(_ body: () -> Void) {
    order.withLock { _ in body() }
  }

  func messages() -> AsyncStream<PersistentStoreCoordinator.RemoteChangeMessage> {
    let (stream, continuation) = AsyncStream.makeStream(of: Message.self)
    let number = state.withLock { state in
      state.nextNumber += 1
      state.readers[state.nextNumber] = continuation
      return state.nextNumber
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.readers[number] = nil }
    }
    return stream
  }

  /// Tells, soon and elsewhere, that a store was written.
  ///
  /// - Parameter position: The position in its history after that, where it is known.
  func announce(
    _ store: AttachedStore, of coordinator: PersistentStoreCoordinator,
    at position: StorePosition? = nil
  ) {
    queue.async { [weak self, weak coordinator] in
      guard let self, let coordinator else { return }
      let message = Message(store, at: position)
      for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(message) }
      NotificationCenter.default.post(
        name: .persistentStoreRemoteChange, object: coordinator, userInfo: message.userInfo)
    }
  }
}
