// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

/// Live results, and the record of their updates.
final class LiveWatch {
  let results: LiveResults<ManagedObject>
  private let context: ManagedObjectContext
  private let request: FetchRequest<ManagedObject>
  private let listener = UpdateListener()
  private let query: LiveQuery

  init(
    _ context: ManagedObjectContext, _ request: FetchRequest<ManagedObject>,
    options: LiveOptions = LiveOptions()
  ) throws {
    self.context = context
    self.request = request.copy()
    results = try context.live(request, options: options)
    query = try context.follow(
      request, isAlwaysFetched: options.consistency == .snapshot, for: listener)
    listener.list = query.elements.map(\.objectID)
  }

  /// Called after each update.
  var onUpdate: (() -> Void)? {
    get { listener.onUpdate }
    set { listener.onUpdate = newValue }
  }

  /// The updates since the last check.
  var updates: [String] { listener.updates }

  var names: [String] {
    get throws { try results.map { try $0.text("name") ?? "-" } }
  }

  /// Checks the results, and the updates since the last check.
  func expect(_ expected: [String], _ told: String? = nil) throws {
    try expectEqual(try names, expected, "the results")
    if let told {
      try expectEqual(listener.updates.joined(separator: ";"), told, "what is told")
    }
    listener.updates = []
  }

  func expectNothing(_ what: String) throws {
    try expectEqual(listener.updates, [], "what is told of \(what)")
  }

  /// Compares the results with those of a fetch in the same context (L2), and with a list that is changed by the
  /// updates alone (L1).
  func expectSameAsFetch() throws {
    let fetched = try context.fetch(request)
    try expectEqual(results.map(\.objectID), fetched.map(\.objectID), "live results and a fetch")
    try expectEqual(
      listener.list.map(\.current), fetched.map { $0.objectID.current }, "what was told and a fetch"
    )
  }
}

/// Records the updates: insertions and removals with their positions, and changed objects.
private final class UpdateListener: LiveListener {
  var updates: [String] = []
  /// A list that is changed by the updates alone.
  var list: [ObjectID] = []
  var onUpdate: (() -> Void)?
  private var names: [ObjectID: String] = [:]

  func liveQuery(_ query: LiveQuery, did step: LiveStep) {
    for object in step.old + step.new {
      if let name = try? object.text("name") { names[object.objectID] = name }
    }
    func name(_ id: ObjectID) -> String { names[id] ?? "?" }
    var words = step.change.removed.map { "-\(name($0.id)) \($0.offset)" }
    words += step.change.inserted.map { "+\(name($0.id)) \($0.offset)" }
    words += step.change.refreshed.map { "~\(name($0))" }.sorted()
    if step.change.isReset { words.append("reset") }
    updates.append(words.joined(separator: " "))
    step.change.apply(to: &list) { step.new[$0].objectID }
    onUpdate?()
  }

  func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
    updates.append("failed")
  }

  func liveQueryWasInvalidated(_ query: LiveQuery) {}
}
