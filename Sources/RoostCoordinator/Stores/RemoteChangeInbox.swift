// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The messages that a reader has not read yet: the newest one of each store, in the order in which the stores were
/// first heard of.
final class RemoteChangeInbox: Sendable {
  typealias Message = PersistentStoreCoordinator.RemoteChangeMessage

  private let unread = Mutex<[Message]>([])
  /// Wakes the reader. One signal stands for all messages that came before it is received.
  private let signal: AsyncStream<Void>.Continuation

  private init(_ signal: AsyncStream<Void>.Continuation) {
    self.signal = signal
  }

  /// Makes an inbox, and the sequence that reads it.
  static func make() -> (RemoteChangeInbox, AsyncStream<Message>) {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let inbox = RemoteChangeInbox(signal)
    let messages = AsyncStream<Message> {
      while true {
        if let message = inbox.take() { return message }
        var isSignalled = false
        for await _ in signals {
          isSignalled = true
          break
        }
        // After the end the messages that came before it are still there.
        guard isSignalled else { return inbox.take() }
      }
    }
    return (inbox, messages)
  }

  /// Adds a message. It takes the place of one of the same store that was not read yet.
  func offer(_ message: Message) {
    unread.withLock { unread in
      if let index = unread.firstIndex(where: { $0.storeUUID == message.storeUUID }) {
        unread[index] = message
      } else {
        unread.append(message)
      }
    }
    signal.yield()
  }

  /// Ends the sequence, after the messages that were not read yet.
  func finish() { signal.finish() }

  /// Sets what to do when the reader is gone.
  func onTermination(_ body: @escaping @Sendable () -> Void) {
    signal.onTermination = { _ in body() }
  }

  private func take() -> Message? {
    unread.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
