// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

// Own saves that overlap the reading of what others have saved.
extension LiveCases {
  static let overlaps: [ConformanceCase] = [
    overlap(
      "back-while-read",
      "a record that is saved again while another coordinator's deletion is read stays (L2, L3)"
    ) { scene in
      try scene.people.expect(["Ada", "Dan"])
      try scene.delete("Ada", in: scene.other.coordinator)
      let mine = scene.mine.coordinator
      scene.moments.set(.read) { try Self.bringBack(in: mine) }
      try scene.look()
      try expect(
        !scene.people.updates.joined().contains("-Ada"),
        "she never left: \(scene.people.updates)")
      try scene.look()
      try scene.people.expectSameAsFetch()
      try scene.people.expect(["Ada", "Dan"])
    },
    overlap(
      "back-while-saved",
      "a record that another coordinator saves again before its deletion here is told stays (L2)"
    ) { scene in
      let (mine, other) = (scene.mine.coordinator, scene.other.coordinator)
      scene.moments.set(.saved) {
        try Self.bringBack(in: other)
        RemoteChanges(to: mine).look()
      }
      try scene.delete("Ada", in: mine)
      try scene.look()
      try scene.people.expectSameAsFetch()
      try scene.people.expect(["Ada", "Dan"])
    },
    overlap(
      "gone-while-saved",
      "a record that another coordinator deletes before its return here is told is gone (L2)"
    ) { scene in
      try scene.delete("Ada", in: scene.other.coordinator)
      try scene.look()
      try scene.people.expect(["Dan"])
      let (mine, other) = (scene.mine.coordinator, scene.other.coordinator)
      scene.moments.set(.saved) {
        try Self.delete("Ada", in: other)
        RemoteChanges(to: mine).look()
      }
      try Self.bringBack(in: mine)
      try scene.moments.check()
      try scene.look()
      try scene.people.expectSameAsFetch()
      try scene.people.expect(["Dan"])
    },
  ]

  /// Deletes a person.
  private static func delete(_ name: String, in coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    context.delete(try context.named("Person", name))
    try context.save()
  }

  /// Takes back the last save, a deletion.
  private static func bringBack(in coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    let request = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
    let last = try context.execute(request).transactions?.last
    try context.revert(try require(last, "the deletion"))
    try context.save()
  }

  /// A company that two coordinators have opened, and the people whom the first one shows.
  private struct Scene {
    let mine: ConformanceStack
    let other: ConformanceStack
    let context: ManagedObjectContext
    let people: LiveWatch
    let moments: Moments

    /// Polls the stores, and merges what was written.
    func look() throws {
      RemoteChanges(to: mine.coordinator).look()
      try moments.check()
      context.processPendingChanges()
    }

    func delete(_ name: String, in coordinator: PersistentStoreCoordinator) throws {
      try LiveCases.delete(name, in: coordinator)
      try moments.check()
    }
  }

  private static func overlap(
    _ name: String, _ title: String, _ body: @escaping @Sendable (Scene) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.live, name, title, needs: [.history, .secondHandle, .changeMarks]) { stage in
      let other = try stage.openKeepingValues(CompanyModel.make())
      try CompanyModel.fill(other.context)
      let moments = Moments()
      let stores = other.stores.map { $0.forwarded { OverlappedStore($0, moments) } }
      let mine = try stage.open(other.model, on: stores)
      RemoteChanges(to: mine.coordinator).secondsBetweenLooks = 100_000
      let context = mine.makeContext()
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      try body(
        Scene(mine: mine, other: other, context: context, people: people, moments: moments))
    }
  }
}

/// Things to do in the middle of a request to a store, each once.
private final class Moments: Sendable {
  enum Moment: Sendable {
    /// After the history was read.
    case read
    /// After a commit.
    case saved
  }

  private struct State {
    var bodies: [Moment: @Sendable () throws -> Void] = [:]
    var error: (any Error)?
  }

  private let state = Mutex(State())

  func set(_ moment: Moment, _ body: @escaping @Sendable () throws -> Void) {
    state.withLock { $0.bodies[moment] = body }
  }

  func reach(_ moment: Moment) {
    guard let body = state.withLock({ $0.bodies.removeValue(forKey: moment) }) else { return }
    do { try body() } catch { state.withLock { $0.error = error } }
  }

  /// Checks that everything was done, and without an error.
  func check() throws {
    let (left, error) = state.withLock { ($0.bodies.count, $0.error) }
    if let error { throw error }
    try expectEqual(left, 0, "what is left to do")
  }
}

/// A store without change hints, in the middle of whose requests something else happens.
private final class OverlappedStore: ForwardingStore, @unchecked Sendable {
  // Sendable: constant.
  private let moments: Moments

  init(_ base: any PersistentStore, _ moments: Moments) {
    self.moments = moments
    super.init(base)
  }

  override var changeHints: (any StoreChangeHints)? { nil }
  override var history: (any StoreHistory)? {
    base.history.map { OverlappedHistory(base: $0, moments: moments) }
  }

  override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    let outcome = try super.commit(changes)
    moments.reach(.saved)
    return outcome
  }
}

private struct OverlappedHistory: ForwardingHistory {
  let base: any StoreHistory
  let moments: Moments

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    let found = try base.transactions(after: position, limit: limit)
    moments.reach(.read)
    return found
  }
}
