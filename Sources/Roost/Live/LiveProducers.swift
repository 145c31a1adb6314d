// SPDX-License-Identifier: Apache-2.0

import RoostContainers
import RoostModel
import RoostObjects
import RoostQuery

/// Projects the objects of a live query to values, and sends them to a reader's mailbox. It is confined to the queue
/// of the context.
final class LiveProjection<Object: ManagedObject, Value: Sendable>: LiveListener {
  private let project: @Sendable (Object) throws -> Value
  private let mailbox: LiveSnapshots<Value>.Mailbox
  private var values: [Value] = []
  private var ids: [ObjectID] = []

  init(
    _ mailbox: LiveSnapshots<Value>.Mailbox, _ project: @escaping @Sendable (Object) throws -> Value
  ) {
    self.mailbox = mailbox
    self.project = project
  }

  /// Sends the first state, in which all objects are insertions.
  func begin(with objects: [ManagedObject]) {
    let places = objects.enumerated().map { ListChange.Place(offset: $0, id: $1.objectID) }
    take(objects, ListChange(inserted: places), isFirst: true)
  }

  func liveQuery(_ query: LiveQuery, did step: LiveStep) {
    take(step.new, step.change, concernsShown: step.concernsShown)
  }

  func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
    if error.endsLiveResults { mailbox.finish(throwing: error) }
  }

  func liveQueryWasInvalidated(_ query: LiveQuery) {}

  private func take(
    _ new: [ManagedObject], _ change: ListChange, concernsShown: Bool = false, isFirst: Bool = false
  ) {
    do {
      let objects: [Object] = try ManagedObjectContext.typed(new)
      var change = change
      change.apply(to: &ids) { objects[$0].objectID }
      try change.apply(to: &values) { try project(objects[$0]) }
      if concernsShown {
        try projectShown(objects, &change)
      } else if !change.refreshed.isEmpty {
        for (offset, id) in ids.enumerated() where change.refreshed.contains(id) {
          values[offset] = try project(objects[offset])
        }
      }
      guard isFirst || !change.isEmpty else { return }
      mailbox.offer(LiveMailbox.Update(state: (elements: values, ids: ids), change: change))
    } catch {
      mailbox.finish(throwing: .wrapping(error, .persistentStoreOperation))
    }
  }

  /// Computes all values again after a change of records displayed with the objects. Equal values are not reported as
  /// refreshed; values that are not `Equatable` count as different.
  private func projectShown(_ objects: [Object], _ change: inout ListChange) throws {
    var refreshed: [ObjectID] = []
    for (offset, object) in objects.enumerated() {
      let value = try project(object)
      if !Self.areEqual(values[offset], value) { refreshed.append(ids[offset]) }
      values[offset] = value
    }
    change.addRefreshed(refreshed)
  }

  private static func areEqual(_ left: Value, _ right: Value) -> Bool {
    guard let left = left as? any Equatable else { return false }
    func isEqual<T: Equatable>(_ value: T) -> Bool { value == right as? T }
    return isEqual(left)
  }
}

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
      count = try LiveCount(of: request, isAlwaysFetched: isAlwaysFetched, in: context) {
        [weak self] in self?.take($0)
      }
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
      mailbox.offer(LiveMailbox.Update(state: number, change: ListChange()))
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
  func begin(_ follow: (@escaping () -> Void) throws -> LiveValue) {
    do {
      let value = try follow { [weak self] in self?.computeAnew() }
      self.value = value
      tell(try compute())
    } catch {
      mailbox.finish(throwing: .wrapping(error, .persistentStoreOperation))
    }
  }

  /// Sends a value that differs from the last one; an equal value is not an update.
  private func tell(_ state: Value) {
    guard state != told else { return }
    told = state
    mailbox.offer(LiveMailbox.Update(state: state, change: ListChange()))
  }

  private func computeAnew() {
    do {
      let state = try compute()
      value?.isStale = false
      tell(state)
    } catch {
      let error = PersistenceError.wrapping(error, .persistentStoreOperation)
      value?.isStale = true
      if error.endsLiveResults { mailbox.finish(throwing: error) }
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
