// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostObjects

/// A number or another value of the stores, each time that it has changed: what `container.liveCount` and
/// `container.liveValue` return.
///
/// ```swift
/// for try await count in container.liveCount(Issue.where { $0.isOpen == true }) { badge.number = count }
/// ```
public struct LiveValues<Value: Sendable & Equatable>: AsyncSequence, Sendable {
  typealias Mailbox = LiveMailbox<Value>

  let options: LiveOptions
  /// Begins to follow the stores; what it returns lives as long as the reading.
  let begin: @Sendable (Mailbox) -> LiveSubscription

  /// Begins to follow the stores. The first value is that of now.
  public func makeAsyncIterator() -> Iterator {
    let mailbox = Mailbox(options.buffering)
    return Iterator(mailbox: mailbox, subscription: begin(mailbox), options)
  }

  /// Reads values, in any task.
  ///
  /// ```swift
  /// var counts = container.liveCount(request).makeAsyncIterator()
  /// let count = try await counts.next()
  /// ```
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: LiveSubscription
    private var reading: LiveReading<Value>
    private var last: Value?

    init(mailbox: Mailbox, subscription: LiveSubscription, _ options: LiveOptions) {
      self.subscription = subscription
      reading = LiveReading(of: mailbox, options)
    }

    /// Returns the next value; nil when the task is cancelled.
    public mutating func next() async throws -> Value? {
      try await next(isolation: #isolation)
    }

    /// Returns the next value, which is another one than the last; nil when the task is cancelled.
    ///
    /// - Throws: What computing it throws the first time; later `PersistenceError` when a store that it needs was
    ///   removed.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PersistenceError) -> Value? {
      while let update = try await reading.next(isolation: actor) {
        guard update.state != last else { continue }
        last = update.state
        return update.state
      }
      return nil
    }
  }
}
