// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Synchronization
import TestWaiting
import Testing

/// Tests of the delivery of live results, and of its options.
@Suite("Live results and their readers")
struct LiveReadingTests {
  private let stack: Stack

  init() throws {
    stack = try Stack()
    _ = try stack.seed(4)
  }

  private var all: FetchRequest<Employee> { Employee.fetchRequest().sorted(by: \.name) }

  private func add(_ names: String...) throws {
    let other = stack.anotherContext()
    for name in names { Employee(context: other).name = name }
    try other.save()
  }

  @Test(
    "a buffer without room for an update is refused, in a context and in a container (L8)",
    arguments: [0, -1, .min])
  func noRoom(maximum: Int) async throws {
    var options = LiveOptions()
    options.buffering = .everyUpdate(maximum: maximum)
    let refusal = PersistenceError(.invalidRequest, "")
    #expect(throws: refusal) { try stack.context.live(all, options: options) }
    await expectRefused(stack.container.liveIDs(all, options: options), refusal)
    await expectRefused(stack.container.liveCount(all, options: options), refusal)
    options.buffering = .everyUpdate(maximum: 1)
    #expect(try stack.context.live(all, options: options).count == 4)
  }

  @Test("sections of values are refused, and nothing begins (L1, L12)")
  func sectionsOfValues() async throws {
    var options = LiveOptions()
    options.sectionKeyPath = "name"
    let refusal = PersistenceError(.invalidRequest, "")
    await expectRefused(stack.container.live(all, options: options) { $0.name }, refusal)
    await expectRefused(stack.container.liveCount(all, options: options), refusal)
    await expectRefused(
      stack.container.liveValue(of: Employee.self, options: options) { _ in 1 }, refusal)
    #expect(stack.container.liveContexts.count == 0)
  }

  private func expectRefused<Elements: AsyncSequence>(
    _ elements: Elements, _ refusal: PersistenceError
  ) async {
    await #expect(throws: refusal) {
      for try await _ in elements { Issue.record("Nothing is read.") }
    }
  }

  @Test("between two updates there is at least the minimum interval (L8)")
  func interval() async throws {
    let interval = Duration.milliseconds(100)
    var options = LiveOptions()
    options.minimumInterval = interval
    let ids = stack.container.liveIDs(all, options: options)
    let hasBegun = Mutex(false)
    let start = ContinuousClock.now
    let reading = Task.detached {
      var count = 0
      for try await snapshot in ids {
        count += 1
        hasBegun.withLock { $0 = true }
        if snapshot.ids.count == 24 { break }
      }
      return count
    }
    try await waitUntil(hasBegun.withLock { $0 })
    for number in 0..<20 {
      try add("Q\(number)")
      // A reader without an interval would take each save by itself.
      try await Task.sleep(for: .milliseconds(5))
    }
    let count = try await reading.value
    // However slow the machine is, no more updates than that can have such a distance.
    #expect(Double(count - 1) <= start.duration(to: .now) / interval)
    #expect(count >= 2)
  }

  @Test("snapshots have the newest state for a slow reader, with all that was changed (L8)")
  func slowReaderOfSnapshots() async throws {
    let context = stack.context
    let controller = FetchedResultsController(
      fetchRequest: all, managedObjectContext: context)
    try controller.performFetch()
    var snapshots = controller.snapshots().makeAsyncIterator()
    #expect(await snapshots.next()?.numberOfItems == 4)
    let people = try #require(controller.fetchedObjects)
    for round in 1...3 {
      people[round].age += 50
      context.processPendingChanges()
    }
    let new = Employee(context: context)
    new.name = "Q"
    context.processPendingChanges()
    try context.save()
    context.delete(people[1])
    context.processPendingChanges()
    let last = try #require(await snapshots.next())
    #expect(last.itemIdentifiers == controller.fetchedObjects?.map(\.objectID))
    #expect(last.numberOfItems == 4)
    let changed = [people[2], people[3], new].map(\.objectID)
    #expect(last.reconfiguredItemIdentifiers == Set(changed), "not the one that has gone")
    people[2].age += 1
    context.processPendingChanges()
    #expect(await snapshots.next()?.reconfiguredItemIdentifiers == [people[2].objectID])
  }

  @Test("snapshots end with their controller, and each reader has all of them (L8, L12)")
  func endOfSnapshots() async throws {
    var iterators: [AsyncStream<FetchedResultsSnapshot>.Iterator] = []
    do {
      let controller = FetchedResultsController(
        fetchRequest: all, managedObjectContext: stack.context)
      try controller.performFetch()
      iterators = (0..<2).map { _ in controller.snapshots().makeAsyncIterator() }
      for index in iterators.indices {
        #expect(await iterators[index].next()?.numberOfItems == 4)
      }
      Employee(context: stack.context).name = "Q"
      stack.context.processPendingChanges()
      withExtendedLifetime(controller) {}
    }
    for index in iterators.indices {
      #expect(await iterators[index].next()?.numberOfItems == 5)
      #expect(await iterators[index].next() == nil)
    }
  }
}
