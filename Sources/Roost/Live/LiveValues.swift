// SPDX-License-Identifier: Apache-2.0

import RoostContainers
public import RoostModel
import RoostObjects

/// A sequence of a count or another value of the stores, with an element for each change, as `container.liveCount`
/// and `container.liveValue` return it.
///
/// ```swift
/// for try await count in container.liveCount(Issue.where { $0.isOpen == true }) { badge.number = count }
/// ```
public struct LiveValues<Value: Sendable & Equatable>: AsyncSequence, Sendable {
  typealias Mailbox = LiveMailbox<LiveDelivery<Value>>

  let options: LiveOptions
  /// Begins to follow the stores; the returned subscription lives as long as the iteration.
  let begin: @Sendable (Mailbox) -> LiveSubscription

  /// Begins to follow the stores. The first element is the current value.
  public func makeAsyncIterator() -> Iterator {
    let (mailbox, subscription) = Mailbox.filled(options, by: begin)
    return Iterator(mailbox: mailbox, subscription: subscription, options)
  }

  /// Reads values, in any task.
  ///
  /// ```swift
  /// var counts = container.liveCount(request).makeAsyncIterator()
  /// let count = try await counts.next()
  /// ```
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: LiveSubscription?
    private var reading: LiveReading<Value>
    private var last: Value?

    init(mailbox: Mailbox, subscription: LiveSubscription?, _ options: LiveOptions) {
      self.subscription = subscription
      reading = LiveReading(of: mailbox, options)
    }

    /// Returns the next value; nil when the task is cancelled.
    public mutating func next() async throws -> Value? {
      try await next(isolation: #isolation)
    }

    /// Returns the next value that differs from the last one; nil when the task is cancelled.
    ///
    /// While a store cannot be read, the value is waited for, and the last one stands.
    ///
    /// - Throws: `PersistenceError` with code `invalidRequest` for options that are refused; what computing the value
    ///   throws the first time, unless a store cannot be read; later when a store that it needs was removed, or with
    ///   code `limitExceeded` when the buffer of updates overflows.
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
