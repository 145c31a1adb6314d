// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Posts the notifications that stores were written: in order, and never on a thread with a save under way.
final class RemoteChangeAnnouncer: Sendable {
  private typealias Message = PersistentStoreCoordinator.RemoteChangeMessage

  private struct State {
    var nextNumber = 0
    var readers: [Int: RemoteChangeInbox] = [:]
  }

  /// The writer number of this coordinator's transactions in the history of its stores.
  let writer = UInt64.random(in: 1 ... .max)
  /// The followers of the stores' histories.
  let ticks = HistoryTicks()
  /// The own commits that overlap a reading of the histories.
  let overlaps = OverlappingCommits()
  private let state = Mutex(State())
  /// Held while new transactions are determined and reported.
  private let order = Mutex(())
  private let queue = DispatchQueue(label: "roost.coordinator.remote-changes")

  deinit {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
  }

  /// Reports transactions read from the histories in one order: two stores that were polled at the same time may have
  /// read the same ones.
  ///
  /// - Parameter body: Must not send requests to a store.
  func inOrder(_ body: () -> Void) {
    order.withLock { _ in body() }
  }

  func messages() -> AsyncStream<PersistentStoreCoordinator.RemoteChangeMessage> {
    let (inbox, stream) = RemoteChangeInbox.make()
    let number = state.withLock { state in
      state.nextNumber += 1
      state.readers[state.nextNumber] = inbox
      return state.nextNumber
    }
    inbox.onTermination { [weak self] in self?.state.withLock { $0.readers[number] = nil } }
    return stream
  }

  /// The number of sequences of messages that are still read.
  var readerCount: Int { state.withLock { $0.readers.count } }

  /// Announces asynchronously that a store was written.
  ///
  /// - Parameter position: The position in its history after that, where it is known.
  func announce(
    _ store: AttachedStore, of coordinator: PersistentStoreCoordinator,
    at position: StorePosition? = nil
  ) {
    queue.async { [weak self, weak coordinator] in
      guard let self, let coordinator else { return }
      let message = Message(store, at: position)
      for reader in state.withLock({ Array($0.readers.values) }) { reader.offer(message) }
      NotificationCenter.default.post(
        name: .persistentStoreRemoteChange, object: coordinator, userInfo: message.userInfo)
    }
  }
}
