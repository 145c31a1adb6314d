// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Delivers the messages of one context to its subscribers. Without subscribers, a message costs one look-up.
final class MessageHub: Sendable {
  private struct Subscriber: Sendable {
    let number: Int
    let receive: @Sendable (any ContextMessage) -> Void
    let finish: @Sendable () -> Void
  }

  private struct State {
    var nextNumber = 0
    var subscribers: [ObjectIdentifier: [Subscriber]] = [:]
  }

  private let state = Mutex(State())

  deinit {
    // The context is gone: there will be no more messages.
    let all = state.withLock { $0.subscribers.values.flatMap { $0 } }
    for subscriber in all { subscriber.finish() }
  }

  /// Returns the messages of a type from now on, in the order of sending.
  func messages<Message: ContextMessage>(of type: Message.Type) -> AsyncStream<Message> {
    let (stream, continuation) = AsyncStream.makeStream(of: Message.self)
    let number = state.withLock { state in
      state.nextNumber += 1
      let number = state.nextNumber
      let subscriber = Subscriber(
        number: number,
        receive: { if let message = $0 as? Message { continuation.yield(message) } },
        finish: { continuation.finish() })
      state.subscribers[ObjectIdentifier(type), default: []].append(subscriber)
      return number
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number, type) }
    return stream
  }

  /// Sends a message, which is created only if there is a subscriber.
  func send<Message: ContextMessage>(_ make: () -> Message) {
    let receivers = state.withLock { $0.subscribers[ObjectIdentifier(Message.self)] }
    guard let receivers else { return }
    let message = make()
    for receiver in receivers { receiver.receive(message) }
  }

  private func remove<Message: ContextMessage>(_ number: Int, _ type: Message.Type) {
    state.withLock { state in
      let rest = state.subscribers[ObjectIdentifier(type)]?.filter { $0.number != number } ?? []
      state.subscribers[ObjectIdentifier(type)] = rest.isEmpty ? nil : rest
    }
  }
}

extension ManagedObjectContext {
  /// Implements `messages(of:)`.
  package func makeMessages<Message: ContextMessage>(of type: Message.Type) -> AsyncStream<Message>
  {
    let hub = eventState.messageHub ?? MessageHub()
    eventState.messageHub = hub
    return hub.messages(of: type)
  }
}
