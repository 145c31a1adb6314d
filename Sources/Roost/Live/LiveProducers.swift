// SPDX-License-Identifier: Apache-2.0

import RoostContainers
import RoostModel
import RoostObjects
import RoostQuery

/// Maintains a count of objects, and sends it to a reader's mailbox. It is confined to the queue of the context.
final class LiveCounting {
  private let mailbox: LiveValues<Int>.Mailbox
  private var count: LiveCount?
  /// The last value that was sent.
  private var told: Int?

  init(_ mailbox: LiveValues<Int>.Mailbox) {
    self.mailbox = mailbox
  }

  /// Counts for the first time, and follows the count.
  ///
  /// - Parameter isAlwaysFetched: Whether each count is read by one request.
  func begin<T>(
    _ request: FetchRequest<T>, isAlwaysFetched: Bool, in context: ManagedObjectContext
  ) {
    do {
      count = try LiveCount(
        of: request, isAlwaysFetched: isAlwaysFetched, waits: true, in: context
      ) { [weak self] in self?.take($0) }
    } catch {
      mailbox.finish(throwing: .wrapping(error, .persistentStoreOperation))
    }
  }

  /// Sends a count that differs from the last one; an equal count is not an update.
  private func take(_ result: Result<Int, PersistenceError>) {
    switch result {
    case .success(let number):
      guard number != told else { return }
      told = number
      mailbox.offer(LiveDelivery(state: number, change: ListChange()))
    case .failure(let error):
      if error.endsLiveResults { mailbox.finish(throwing: error) }
    }
  }
}

/// Computes a value, and sends it to a reader's mailbox. It is confined to the queue of the context.
final class LiveComputation<Value: Sendable & Equatable> {
  private let mailbox: LiveValues<Value>.Mailbox
  private let compute: () throws -> Value
  private var value: LiveValue?
  /// The last value that was sent.
  private var told: Value?

  init(_ mailbox: LiveValues<Value>.Mailbox, _ compute: @escaping () throws -> Value) {
    self.mailbox = mailbox
    self.compute = compute
  }

  /// Computes the value for the first time, and observes its inputs.
  ///
  /// - Parameter follow: Starts observing; its argument is called after each change.
  func begin(_ follow: (@escaping () -> Void) -> LiveValue) {
    value = follow { [weak self] in self?.computeAnew() }
    computeAnew()
  }

  /// Sends a value that differs from the last one; an equal value is not an update.
  private func tell(_ state: Value) {
    guard state != told else { return }
    told = state
    mailbox.offer(LiveDelivery(state: state, change: ListChange()))
  }

  private func computeAnew() {
    do {
      let state = try compute()
      value?.isStale = false
      tell(state)
    } catch {
      // A value that the closure refuses to compute the first time would be waited for without end.
      let isRefused = told == nil && (error as? PersistenceError)?.isOfStore != true
      let error = PersistenceError.wrapping(error, .persistentStoreOperation)
      if isRefused || error.endsLiveResults { mailbox.finish(throwing: error) }
      value?.isStale = !isRefused
    }
  }
}

/// A strong reference to an object of a context, which a reader in any task can hold.
final class LiveHolder<Held>: @unchecked Sendable {
  // Sendable: the held object is accessed on the queue of the context only.
  private var held: Held?

  func hold(_ value: Held) {
    held = value
  }

  func release() {
    held = nil
  }
}
