// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Roost
import RoostInMemory
import Synchronization
import TestWaiting
import Testing

@Suite("Live results")
struct LiveResultsTests {
  private let stack: Stack

  init() throws {
    stack = try Stack()
    _ = try stack.seed(4)
  }

  private var all: FetchRequest<Employee> { Employee.fetchRequest().sorted(by: \.name) }

  private func immediate(_ buffering: LiveOptions.Buffering = .newest) -> LiveOptions {
    var options = LiveOptions()
    options.minimumInterval = .zero
    options.buffering = buffering
    return options
  }

  private func add(_ names: String...) throws {
    let other = stack.anotherContext()
    for name in names { Employee(context: other).name = name }
    try other.save()
  }

  @Test("the first update names all elements, and each change is one more (L1, L9)")
  func updates() async throws {
    let results = try stack.context.live(all, options: immediate())
    var updates = results.updates.makeAsyncIterator()
    #expect(try await updates.next()?.difference.insertions.count == 4)
    #expect(results.lastUpdate == nil)
    try add("Q")
    let update = try #require(try await updates.next())
    #expect(results.lastUpdate == update)
    #expect(results.map(\.name) == ["P0", "P1", "P2", "P3", "Q"])
    #expect(update.difference.insertions.count == 1 && update.difference.removals.isEmpty)
    results[0].name = "R"
    stack.context.processPendingChanges()
    let moved = try #require(try await updates.next())
    #expect(moved.refreshed == [results[4].objectID])
    #expect(
      moved.difference.map(Self.places) == [[0, 4], [4, 0]], "the two ends of a move are associated"
    )
    results.stop()
    #expect(try await updates.next() == nil)
  }

  private static func places(_ change: CollectionDifference<ObjectID>.Change) -> [Int] {
    switch change {
    case .remove(let offset, _, let other), .insert(let offset, _, let other):
      [offset, other ?? -1]
    }
  }

  /// Saves an employee in a separate task.
  private func saveLate() -> Task<Void, any Error> {
    let container = stack.container
    return Task.detached {
      // The delay lets the reader begin to wait, so that its first fetch does not find the save.
      try await Task.sleep(for: .milliseconds(100))
      try await container.performBackgroundTask { context in
        Employee(context: context).name = "Late"
        try context.save()
      }
    }
  }

  @Test("a reader that waits is woken by what others save, in a context without a queue (L9)")
  func waiting() async throws {
    let results = try stack.context.live(all, options: immediate())
    var updates = results.updates.makeAsyncIterator()
    _ = try await updates.next()
    let saving = saveLate()
    _ = try await updates.next()
    #expect(results.first?.name == "Late")
    try await saving.value
  }

  @Test(
    "each reader of a context without a queue is woken, whoever has gone (L9)",
    .timeLimit(.minutes(1)))
  func severalReaders() async throws {
    let results = try stack.context.live(all, options: immediate())
    var first = results.updates.makeAsyncIterator()
    _ = try await first.next()
    do {
      var second = results.updates.makeAsyncIterator()
      _ = try await second.next()
    }
    let saving = saveLate()
    _ = try await first.next()
    #expect(results.first?.name == "Late")
    try await saving.value
  }

  @Test("after a reset the new objects can be observed (L13)")
  func observationAfterReset() throws {
    let results = try stack.context.live(all)
    stack.context.reset()
    stack.context.processPendingChanges()
    let told = Mutex(0)
    withObservationTracking {
      _ = results.first?.name
    } onChange: {
      told.withLock { $0 += 1 }
    }
    try #require(results.first).name = "Other"
    #expect(told.withLock { $0 } == 1)
  }

  @Test("a limit as large as can be is no limit (L6)")
  func largestLimit() throws {
    let results = try stack.context.live(all.limit(.max))
    #expect(results.count == 4)
  }

  @Test("a slow reader finds the changes composed into one (L8)")
  func slowReader() async throws {
    let results = try stack.context.live(all, options: immediate())
    var updates = results.updates.makeAsyncIterator()
    let first = try #require(try await updates.next())
    var list = try #require([ObjectID]().applying(first.difference))
    for round in 0..<5 {
      try add("A\(round)", "Z\(round)")
      stack.context.processPendingChanges()
      stack.context.delete(results[round])
      results[3].name = "M\(round)"
      stack.context.processPendingChanges()
    }
    let update = try #require(try await updates.next())
    list = try #require(list.applying(update.difference))
    #expect(list == results.map(\.objectID))
    results.stop()
    #expect(try await updates.next() == nil, "there is one update and no other")
  }

  @Test("a reader that wants every update is told when it is too slow (L8)")
  func everyUpdate() async throws {
    let results = try stack.context.live(all, options: immediate(.everyUpdate(maximum: 3)))
    var updates = results.updates.makeAsyncIterator()
    for number in 0..<4 {
      try add("N\(number)")
      stack.context.processPendingChanges()
    }
    for _ in 0..<3 { #expect(try await updates.next() != nil) }
    await #expect(throws: PersistenceError(.limitExceeded, "")) { try await updates.next() }
    #expect(results.count == 8)
  }

  @Test("a task that is cancelled gets no further update (L9, L12)")
  func cancelling() async throws {
    let container = stack.container
    let request = all
    let reading = Task.detached {
      var count = 0
      for try await _ in container.liveIDs(request) { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(50))
    reading.cancel()
    #expect(try await reading.value <= 1)
    try await expectNoLiveContexts()
  }

  private func expectNoLiveContexts() async throws {
    // Their owners release them on their queues.
    try await waitUntil(stack.container.liveContexts.count == 0)
  }

  @Test("values of live results can be read in any task, and nothing is left afterwards (L1, L12)")
  func values() async throws {
    do {
      let names = stack.container.live(all, options: immediate()) { $0.name }
      var snapshots = names.makeAsyncIterator()
      #expect(try await snapshots.next()?.elements == ["P0", "P1", "P2", "P3"])
      try add("Q")
      let second = try #require(try await snapshots.next())
      #expect(second.elements == ["P0", "P1", "P2", "P3", "Q"] && second.ids.count == 5)
      #expect(second.difference.insertions.count == 1 && second.difference.removals.isEmpty)
      let other = stack.anotherContext()
      for person in try stack.employees(in: other) where person.name == "P1" {
        person.name = "X"
      }
      try other.save()
      #expect(try await snapshots.next()?.elements == ["P0", "P2", "P3", "Q", "X"])
    }
    try await expectNoLiveContexts()
  }

  @Test("what begins and ends many times leaves nothing (L12)")
  func rounds() async throws {
    // `make soak` sets a higher number.
    let count = ProcessInfo.processInfo.environment["ROOST_LIVE_ROUNDS"].flatMap { Int($0) } ?? 200
    for round in 0..<count {
      let results = try stack.context.live(Employee.where { $0.age >= Int32(round % 7) })
      if round.isMultiple(of: 2) { results.stop() }
      var counts = stack.container.liveCount(all).makeAsyncIterator()
      #expect(try await counts.next() == 4)
      var snapshots = stack.container.liveIDs(all).makeAsyncIterator()
      #expect(try await snapshots.next()?.ids.count == 4)
    }
    #expect(stack.context.liveQueryCount == 0)
    try await expectNoLiveContexts()
  }

  @Test("what is shown of related objects is followed where they are prefetched (L5)")
  func related() async throws {
    var request = all
    request = request.prefetching(\.department)
    let labels = stack.container.live(request, options: immediate()) {
      "\($0.name) of \($0.department?.name ?? "-")"
    }
    var snapshots = labels.makeAsyncIterator()
    #expect(try await snapshots.next()?.elements.first == "P0 of Research")
    let other = stack.anotherContext()
    try #require(try other.fetch(Department.fetchRequest()).first).name = "Sales"
    try other.save()
    let update = try #require(try await snapshots.next())
    #expect(update.elements.first == "P0 of Sales")
    #expect(update.update.refreshed.count == 4 && update.difference.isEmpty)
  }

  @Test("that there are no results is told at once, too (L1)")
  func none() async throws {
    var options = immediate()
    options.minimumInterval = .zero
    let nobody = Employee.where { $0.name == "Nobody" }
    var snapshots = stack.container.live(nobody, options: options) { $0.name }
      .makeAsyncIterator()
    #expect(try #require(try await snapshots.next()).elements.isEmpty)
    var updates = try stack.context.live(nobody, options: options).updates.makeAsyncIterator()
    #expect(try #require(try await updates.next()).difference.isEmpty)
    try add("Nobody")
    #expect(try #require(try await snapshots.next()).elements == ["Nobody"])
  }

  @Test("a number and a value are told when they have changed, and only then (L6)")
  func numbers() async throws {
    let container = stack.container
    var counts = container.liveCount(
      Employee.where { $0.name > "P1" }, options: immediate()
    ).makeAsyncIterator()
    var oldest = container.liveValue(of: Employee.self, options: immediate()) { context in
      try context.fetch(Employee.fetchRequest()).map(\.age).max() ?? 0
    }.makeAsyncIterator()
    #expect(try await counts.next() == 2)
    #expect(try await oldest.next() == 3)
    try add("A", "B")
    try add("Z")
    #expect(try await counts.next() == 3)
    let other = stack.anotherContext()
    try stack.employees(in: other).first?.age = 90
    try other.save()
    #expect(try await oldest.next() == 90)
  }

  @Test("an error of the closure, and a store that is removed, end the reading (L10)")
  func ends() async throws {
    let failing = stack.container.live(all) { (_: Employee) -> String in
      throw PersistenceError(.invalidValue, "No.")
    }
    var snapshots = failing.makeAsyncIterator()
    await #expect(throws: PersistenceError(.invalidValue, "")) { try await snapshots.next() }
    var ids = stack.container.liveIDs(all, options: immediate()).makeAsyncIterator()
    #expect(try await ids.next()?.ids.count == 4)
    let coordinator = stack.container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    await #expect(throws: PersistenceError(.noStore, "")) {
      while try await ids.next() != nil {}
    }
    var unknown = stack.container.liveIDs(all).makeAsyncIterator()
    await #expect(throws: PersistenceError(.noStore, "")) { try await unknown.next() }
  }

  @Test("observation tells a change of the elements once, and their properties (L13)")
  func observation() throws {
    let context = stack.context
    let results = try context.live(all)
    let told = Mutex<[String]>([])
    func track() {
      withObservationTracking {
        _ = results.count
      } onChange: {
        told.withLock { $0.append("elements") }
      }
      withObservationTracking {
        _ = results.first?.name
      } onChange: {
        told.withLock { $0.append("name") }
      }
    }
    track()
    let stranger = Employee(context: context)
    stranger.name = "Q"
    #expect(told.withLock { $0 }.isEmpty)
    context.processPendingChanges()
    #expect(told.withLock { $0 }.sorted() == ["elements", "name"], "each view is told once")
    told.withLock { $0 = [] }
    track()
    results[0].name = "P00"
    #expect(told.withLock { $0 } == ["name"], "a property is told when it is set")
    #expect(!context.allowsObservation)
  }

  @Test(
    "contexts that are alike do not hold each other: a context goes with its live results (L12)")
  func lifetime() throws {
    weak var context: ManagedObjectContext?
    weak var results: LiveResults<Employee>?
    do {
      let own = stack.anotherContext()
      let live = try own.live(all)
      (context, results) = (own, live)
      #expect(live.count == 4)
    }
    #expect(context == nil && results == nil)
  }
}
