// SPDX-License-Identifier: Apache-2.0

import RoostContainers
public import RoostModel
public import RoostObjects

/// A sequence of the changes of live results, as ``LiveResults/updates`` returns it.
///
/// ```swift
/// for try await update in people.updates {
///   print(people.count, "people,", update.refreshed.count, "of them changed")
/// }
/// ```
public struct LiveUpdates<Element: ManagedObject>: AsyncSequence {
  private let results: LiveResults<Element>
  private let options: LiveOptions

  init(_ results: LiveResults<Element>, _ options: LiveOptions) {
    self.results = results
    self.options = options
  }

  /// Begins with an update that lists all elements as inserted.
  public func makeAsyncIterator() -> Iterator { Iterator(results, options) }

  /// Reads the changes of live results, where their context is used.
  ///
  /// ```swift
  /// var updates = people.updates.makeAsyncIterator()
  /// let first = try await updates.next()
  /// ```
  public struct Iterator: AsyncIteratorProtocol {
    private let reader: Reader
    private var reading: LiveReading<Void>

    init(_ results: LiveResults<Element>, _ options: LiveOptions) {
      reader = Reader(results)
      reading = LiveReading(of: reader.mailbox, options)
    }

    /// Returns the next update; nil after the end, and when the task is cancelled.
    public mutating func next() async throws -> LiveUpdate? {
      try await next(isolation: #isolation)
    }

    /// Returns the next update; nil after the end, and when the task is cancelled.
    ///
    /// - Parameter actor: The isolation where the context is used.
    /// - Throws: `PersistenceError` when a store that the results need was removed, or with code `limitExceeded` when
    ///   the buffer of updates overflows.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PersistenceError) -> LiveUpdate? {
      try await reading.next(isolation: actor, merging: reader.mergeIfNeeded)
        .map { LiveUpdate($0.change) }
    }
  }

  /// Ends the subscription when the iterator is deallocated.
  private final class Reader {
    let results: LiveResults<Element>
    let mailbox: LiveMailbox<LiveDelivery<Void>>
    private let wakes: Int

    init(_ results: LiveResults<Element>) {
      self.results = results
      let mailbox = results.makeMailbox()
      self.mailbox = mailbox
      wakes = results.context.beginWakes { mailbox.signal() }
    }

    deinit {
      results.context.endWakes(wakes)
      results.remove(mailbox)
    }

    /// Merges others' saves, if the context has no queue to do so automatically.
    func mergeIfNeeded() {
      results.context.mergeForReader()
    }
  }
}

@available(*, unavailable)
extension LiveUpdates: Sendable {}
@available(*, unavailable)
extension LiveUpdates.Iterator: Sendable {}
