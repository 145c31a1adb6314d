// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostObjects

/// A sequence of live results as values, one snapshot after the other, as `container.live` returns it. Each iteration
/// follows the stores on its own, as long as it lasts.
///
/// ```swift
/// for try await ids in container.liveIDs(Issue.where { $0.isOpen == true }) { print(ids.elements.count) }
/// ```
public struct LiveSnapshots<Value: Sendable>: AsyncSequence, Sendable {
  typealias Mailbox = LiveMailbox<(elements: [Value], ids: [ObjectID])>

  let options: LiveOptions
  /// Begins to follow the stores; the returned subscription lives as long as the iteration.
  let begin: @Sendable (Mailbox) -> LiveSubscription

  /// Begins to follow the stores. The first snapshot is the result of the fetch.
  public func makeAsyncIterator() -> Iterator {
    let mailbox = Mailbox(options.buffering)
    return Iterator(mailbox: mailbox, subscription: begin(mailbox), options)
  }

  /// Reads snapshots, in any task.
  ///
  /// ```swift
  /// var snapshots = container.liveIDs(request).makeAsyncIterator()
  /// let first = try await snapshots.next()
  /// ```
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: LiveSubscription
    private var reading: LiveReading<(elements: [Value], ids: [ObjectID])>

    init(mailbox: Mailbox, subscription: LiveSubscription, _ options: LiveOptions) {
      self.subscription = subscription
      reading = LiveReading(of: mailbox, options)
    }

    /// Returns the next snapshot; nil when the task is cancelled.
    public mutating func next() async throws -> LiveSnapshot<Value>? {
      try await next(isolation: #isolation)
    }

    /// Returns the next snapshot; nil when the task is cancelled.
    ///
    /// - Throws: What the fetch throws; later `PersistenceError` when a store that the results need was removed, what
    ///   the closure that makes the values throws, or `limitExceeded` when the buffer of updates overflows.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PersistenceError) -> LiveSnapshot<Value>? {
      try await reading.next(isolation: actor).map { update in
        LiveSnapshot(
          elements: update.state.elements, ids: update.state.ids,
          update: LiveUpdate(update.change))
      }
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
