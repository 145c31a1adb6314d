// SPDX-License-Identifier: Apache-2.0

import RoostContainers
public import RoostModel
import RoostObjects

/// A sequence of live results as values, one snapshot after the other, as `container.live` returns it. Each iteration
/// follows the stores on its own, as long as it lasts.
///
/// ```swift
/// for try await ids in container.liveIDs(Issue.where { $0.isOpen == true }) { print(ids.elements.count) }
/// ```
public struct LiveSnapshots<Value: Sendable>: AsyncSequence, Sendable {
  typealias Mailbox = LiveMailbox<LiveDelivery<LiveState<Value>>>

  let options: LiveOptions
  /// Begins to follow the stores; the returned subscription lives as long as the iteration.
  let begin: @Sendable (Mailbox) -> LiveSubscription

  /// Begins to follow the stores. The first snapshot is the result of the fetch.
  public func makeAsyncIterator() -> Iterator {
    let (mailbox, subscription) = Mailbox.filled(options, by: begin)
    return Iterator(mailbox: mailbox, subscription: subscription, options)
  }

  /// Reads snapshots, in any task.
  ///
  /// ```swift
  /// var snapshots = container.liveIDs(request).makeAsyncIterator()
  /// let first = try await snapshots.next()
  /// ```
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: LiveSubscription?
    private var reading: LiveReading<LiveState<Value>>
    /// Whether the last snapshot was stale; nil before the first one.
    private var wasStale: Bool?

    init(mailbox: Mailbox, subscription: LiveSubscription?, _ options: LiveOptions) {
      self.subscription = subscription
      reading = LiveReading(of: mailbox, options)
    }

    /// Returns the next snapshot; nil when the task is cancelled.
    public mutating func next() async throws -> LiveSnapshot<Value>? {
      try await next(isolation: #isolation)
    }

    /// Returns the next snapshot; nil when the task is cancelled.
    ///
    /// While a store cannot be read, the first snapshot is waited for; later a snapshot says that it is stale.
    ///
    /// - Throws: `PersistenceError` with code `invalidRequest` for options that are refused; what the fetch throws
    ///   unless a store cannot be read; later when a store that the results need was removed, what the closure that
    ///   makes the values throws, or `limitExceeded` when the buffer of updates overflows.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PersistenceError) -> LiveSnapshot<Value>? {
      while let update = try await reading.next(isolation: actor) {
        let state = update.state
        // Results that became stale and current again between two readings are no news.
        if state.isStale == wasStale, update.change.isEmpty { continue }
        wasStale = state.isStale
        return LiveSnapshot(
          elements: state.elements, ids: state.ids, update: LiveUpdate(update.change),
          isStale: state.isStale)
      }
      return nil
    }
  }
}

/// A subscription to live values. It ends when it is deallocated.
final class LiveSubscription: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    end()
  }
}
