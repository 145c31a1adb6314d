// SPDX-License-Identifier: Apache-2.0

import RoostContainers
import RoostModel
import RoostObjects
import RoostQuery

/// Projects the objects of a live query to values, and sends them to a reader's mailbox. It is confined to the queue
/// of the context.
///
/// Values that were made while something could not be read are not sent: the change stays due, later ones are added to
/// it, and the values are made again when the stores can be read.
final class LiveProjection<Object: ManagedObject, Value: Sendable>: LiveListener {
  private let project: @Sendable (Object) throws -> Value
  private let mailbox: LiveSnapshots<Value>.Mailbox
  private unowned let context: ManagedObjectContext
  /// The state that was sent last.
  private var sent = LiveState<Value>()
  private var hasSent = false
  private var token: PersistentHistoryToken?
  /// The change from the state that was sent last to the results; nil when they were sent.
  private var due: Due?
  /// Whether the query could not be read, so that its results are to be sent after its next step.
  private var isBehind = false
  /// Retries when the values could not be made; nil if that has never happened.
  private var retry: LiveValue?

  private struct Due {
    var objects: [ManagedObject]
    var change: ListChange
    var concernsShown: Bool
  }

  init(
    _ mailbox: LiveSnapshots<Value>.Mailbox,
    _ project: @escaping @Sendable (Object) throws -> Value, in context: ManagedObjectContext
  ) {
    self.mailbox = mailbox
    self.project = project
    self.context = context
  }

  /// Sends the first state, in which all objects are insertions; that of a stale query after its next step.
  func begin(with query: LiveQuery) {
    let places = query.elements.enumerated().map {
      ListChange.Place(offset: $0, id: $1.objectID)
    }
    due = Due(
      objects: query.elements, change: ListChange(inserted: places), concernsShown: false)
    isBehind = query.isStale
    send()
  }

  func liveQuery(_ query: LiveQuery, did step: LiveStep) {
    isBehind = false
    var change = due?.change ?? step.change
    if due != nil { change.append(step.change) }
    due = Due(
      objects: step.new, change: change,
      concernsShown: step.concernsShown || due?.concernsShown ?? false)
    send()
  }

  func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
    isBehind = true
    if error.endsLiveResults { return mailbox.finish(throwing: error) }
    sendStale()
  }

  func liveQueryWasInvalidated(_ query: LiveQuery) {
    // The objects that are due cannot be read any more; the next step has others.
    isBehind = true
  }

  /// Sends what is due, if it can be read.
  private func send() {
    guard let due, !isBehind else { return }
    do {
      var change = due.change
      let state = try FailedReads(in: context).throwing { try self.state(of: due, &change) }
      self.due = nil
      retry?.isStale = false
      let isNews = !hasSent || !change.isEmpty || sent.isStale
      (sent, hasSent) = (state, true)
      token = token.replaced(by: change.token)
      if isNews { mailbox.offer(LiveDelivery(state: state, change: change)) }
    } catch let error as PersistenceError where error.isOfStore {
      let retry =
        retry
        ?? context.follow(valueOf: [ManagedObject.Type]()) { [weak self] in
          self?.send()
        }
      self.retry = retry
      retry.isStale = true
      sendStale()
    } catch {
      mailbox.finish(throwing: .wrapping(error, .persistentStoreOperation))
    }
  }

  /// Sends the last state once more, marked as stale.
  private func sendStale() {
    guard hasSent, !sent.isStale else { return }
    sent.isStale = true
    var change = ListChange()
    change.token = token
    mailbox.offer(LiveDelivery(state: sent, change: change))
  }

  /// Makes the values that a change needs.
  private func state(of due: Due, _ change: inout ListChange) throws -> LiveState<Value> {
    let objects: [Object] = try ManagedObjectContext.typed(due.objects)
    var state = LiveState(elements: sent.elements, ids: sent.ids)
    change.apply(to: &state.ids) { objects[$0].objectID }
    try change.apply(to: &state.elements) { try project(objects[$0]) }
    if due.concernsShown {
      try projectShown(objects, &state, &change)
    } else if !change.refreshed.isEmpty {
      for (offset, id) in state.ids.enumerated() where change.refreshed.contains(id) {
        state.elements[offset] = try project(objects[offset])
      }
    }
    return state
  }

  /// Computes all values again after a change of records displayed with the objects. Equal values are not reported as
  /// refreshed; values that are not `Equatable` count as different.
  private func projectShown(
    _ objects: [Object], _ state: inout LiveState<Value>, _ change: inout ListChange
  ) throws {
    var refreshed: [ObjectID] = []
    for (offset, object) in objects.enumerated() {
      let value = try project(object)
      if !Self.areEqual(state.elements[offset], value) { refreshed.append(state.ids[offset]) }
      state.elements[offset] = value
    }
    change.addRefreshed(refreshed)
  }

  private static func areEqual(_ left: Value, _ right: Value) -> Bool {
    guard let left = left as? any Equatable else { return false }
    func isEqual<T: Equatable>(_ value: T) -> Bool { value == right as? T }
    return isEqual(left)
  }
}
