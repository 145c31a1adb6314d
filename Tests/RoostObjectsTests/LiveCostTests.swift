// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostInMemory
import RoostObjects
import Testing

/// Tests that live results do no unnecessary work.
@Suite("Live results and what does not concern them")
struct LiveCostTests {
  private let stack: Stack

  init() throws {
    stack = try Stack()
    _ = try stack.seed(4)
  }

  private var all: FetchRequest<Employee> { Employee.fetchRequest().sorted(by: \.name) }

  @Test("a save of what was changed before asks only the queries that it can concern (L5, L7)")
  func savesAskFew() throws {
    let context = stack.context
    let people = try context.fetch(all)
    let lists = try people.map { person in
      try context.live(Employee.where { $0.name == person.name }.sorted(by: \.name))
    }
    let far = all.copy()
    far.fetchOffset = 1
    let near = try context.live(far)
    var options = LiveOptions()
    options.consistency = .snapshot
    let page = try context.live(far, options: options)
    func plans(_ body: () throws -> Void) rethrows -> Int {
      let before = LiveQueries.planCount(of: context)
      try body()
      return LiveQueries.planCount(of: context) - before
    }
    people[0].age = 5
    context.processPendingChanges()
    // The result of one fetch may change with any save.
    #expect(try plans { try context.save() } == 1)
    // A new object in the results may move when its permanent key is known.
    Employee(context: context).name = "Q"
    context.processPendingChanges()
    #expect(page.count == 4)
    try context.save()
    for results in [near, page] {
      #expect(try context.fetch(far).map(\.objectID) == results.map(\.objectID))
    }
    withExtendedLifetime(lists) {}
  }

  @Test("a changed result asks only the queries that keep it or read the property (L5, L7)")
  func changesAskFew() throws {
    let context = stack.context
    let people = try context.fetch(all)
    let lists = try people.map { person in
      try context.live(Employee.where { $0.name == person.name }.sorted(by: \.name))
    }
    func plans(_ body: () -> Void) -> Int {
      let before = LiveQueries.planCount(of: context)
      body()
      context.processPendingChanges()
      return LiveQueries.planCount(of: context) - before
    }
    #expect(plans { people[0].age = 77 } == 1)
    #expect(lists[0].lastUpdate?.refreshed == [people[0].objectID])
    #expect(plans { people[0].name = "Q" } == 4)
    #expect(lists.map(\.count) == [0, 1, 1, 1])
  }

  @Test("equal requests are evaluated once, however many results have them (L7)")
  func equalRequestsShare() throws {
    let context = stack.context
    let people = try context.fetch(all)
    let lists = try (0..<10).map { _ in
      try context.live(Employee.where { $0.age > 20 }.sorted(by: \.name))
    }
    let other = try context.live(Employee.where { $0.age > 21 }.sorted(by: \.name))
    let before = LiveQueries.planCount(of: context)
    people[0].age = 77
    context.processPendingChanges()
    #expect(LiveQueries.planCount(of: context) - before == 2)
    for list in lists + [other] { #expect(list.contains(people[0])) }
  }

  @Test("a value is asked only of changes of what it reads (L5, L7)")
  func valuesAreIndexed() async throws {
    let context = stack.context
    var told: [String] = []
    let young = try context.follow(valueOf: Employee.where { $0.age < 10 }) { told.append("age") }
    let named = try context.follow(valueOf: Employee.where { $0.name == "P" }) {
      told.append("name")
    }
    let every = context.follow(valueOf: [Employee.self]) { told.append("all") }
    func asked(_ body: () throws -> Void) rethrows -> Int {
      let before = LiveQueries.valueCount(of: context)
      told = []
      try body()
      context.processPendingChanges()
      return LiveQueries.valueCount(of: context) - before
    }
    let person = try #require(try context.fetch(all).first)
    #expect(asked { person.age = 3 } == 2)
    #expect(told == ["age", "all"])
    #expect(asked { person.name = "P" } == 2)
    #expect(told == ["name", "all"])
    #expect(asked { context.delete(person) } == 3)
    withExtendedLifetime((young, named, every)) {}
  }

  @Test("a number that stays the same is no update that a reader could be behind (L6, L8)")
  func sameNumber() async throws {
    var options = LiveOptions()
    options.minimumInterval = .zero
    options.buffering = .everyUpdate(maximum: 2)
    var counts = stack.container.liveCount(Employee.where { $0.age >= 0 }, options: options)
      .makeAsyncIterator()
    #expect(try await counts.next() == 4)
    let other = stack.anotherContext()
    let person = try #require(try stack.employees(in: other).first)
    for age in 10..<20 {
      person.age = Int32(age)
      try other.save()
    }
    // The follower has time to fall behind.
    try await Task.sleep(for: .milliseconds(200))
    Employee(context: other).name = "Q"
    try other.save()
    #expect(try await counts.next() == 5)
  }
}
