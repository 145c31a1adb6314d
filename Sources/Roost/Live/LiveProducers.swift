// SPDX-License-Identifier: Apache-2.0

import RoostContainers
import RoostModel
import RoostObjects
import RoostQuery

/// Makes values of the objects of a live query, and tells a reader of them. It lives on the queue of the context.
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

  /// Tells of all objects as new ones.
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

  /// Makes all values anew, because something that is shown with the objects was changed. Which of them look different
  /// is known of values that can be compared.
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

/// Keeps a number of objects, and tells a reader of it. It lives on the queue of the context.
final class LiveCounting {
  private let mailbox: LiveValues<Int>.Mailbox
  private var count: LiveCount?
  /// What was told last.
  private var told: Int?

  init(_ mailbox: LiveValues<Int>.Mailbox) {
    self.mailbox = mailbox
  }

  func begin<T>(_ request: FetchRequest<T>, in context: ManagedObjectContext) {
    do {
      count = try LiveCount(of: request, in: context) { [weak self] in self?.take($0) }
    } catch {
      mailbox.finish(throwing: .wrapping(error, .persistentStoreOperation))
    }
  }

  /// Tells a number that is another one: what is the same is no update that a reader could be behind.
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

/// Computes a value, and tells a reader of it. It lives on the queue of the context.
final class LiveComputation<Value: Sendable & Equatable> {
  private let mailbox: LiveValues<Value>.Mailbox
  private let compute: () throws -> Value
  private var value: LiveValue?
  /// What was told last.
  private var told: Value?

  init(_ mailbox: LiveValues<Value>.Mailbox, _ compute: @escaping () throws -> Value) {
    self.mailbox = mailbox
    self.compute = compute
  }

  /// Computes the value for the first time, and follows what it depends on.
  ///
  /// - Parameter follow: Begins to follow, with what is to be called after each change.
  func begin(_ follow: (@escaping () -> Void) throws -> LiveValue) {
    do {
      let value = try follow { [weak self] in self?.computeAnew() }
      self.value = value
      tell(try compute())
    } catch {
      mailbox.finish(throwing: .wrapping(error, .persistentStoreOperation))
    }
  }

  /// Tells a value that is another one: what is the same is no update that a reader could be behind.
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

/// Something of a context, held for it by a reading in any task.
final class LiveHolder<Held>: @unchecked Sendable {
  // Sendable: what is held is touched on the queue of the context alone.
  private var held: Held?

  func hold(_ value: Held) {
    held = value
  }

  func release() {
    held = nil
  }
}
