// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Fetches from one store")
struct FetchTests {
  let stack: Stack
  let store: MinimalStore
  let ids: [ObjectID]

  init() throws {
    (stack, store) = try Stack.withStore()
    ids = try stack.insertPeople(
      [("Cleo", 30), ("Ada", 36), ("Bob", 20), ("Dan", 36)], into: store)
  }

  private func fetch(_ fetch: ResolvedFetch) throws -> [String] {
    stack.names(try stack.fetch(fetch))
  }

  @Test("without a condition all rows come, by their keys (B120)")
  func everything() throws {
    #expect(try fetch(stack.people()) == ["Cleo", "Ada", "Bob", "Dan"])
  }

  @Test("what a store leaves over is judged by the shared evaluator (B120)")
  func condition() throws {
    #expect(try fetch(stack.people(where: stack.isOlder(than: 30))) == ["Ada", "Dan"])
  }

  @Test("the order is applied, ties by key (B124)")
  func order() throws {
    #expect(try fetch(stack.people(sortedBy: ["age", "name"])) == ["Bob", "Cleo", "Ada", "Dan"])
    #expect(
      try fetch(stack.people(sortedBy: ["age"], ascending: false)) == ["Ada", "Dan", "Cleo", "Bob"])
  }

  @Test("limit and offset count after condition and order; beyond the end nothing is left (B125)")
  func window() throws {
    #expect(try fetch(stack.people(sortedBy: ["name"], limit: 2, offset: 1)) == ["Bob", "Cleo"])
    #expect(try fetch(stack.people(sortedBy: ["name"], offset: 9)) == [])
    #expect(try fetch(stack.people(sortedBy: ["name"], limit: 0)) == [])
  }

  @Test("IDs are those of the rows, in their order (B130)")
  func keys() throws {
    let result = try stack.fetch(stack.people(sortedBy: ["name"], result: .keys))
    guard case .ids(let found) = result else {
      Issue.record("No IDs were returned.")
      return
    }
    #expect(found == [ids[1], ids[2], ids[0], ids[3]])
  }

  @Test(
    "a count is the number of the fetch's results, limit included (B130, B137)",
    arguments: [(nil, 0, 2), (1, 0, 1), (nil, 1, 1), (5, 5, 0)])
  func count(_ limit: Int?, _ offset: Int, _ expected: Int) throws {
    let request = stack.people(
      where: stack.isOlder(than: 30), limit: limit, offset: offset, result: .count)
    guard case .count(let count) = try stack.fetch(request) else {
      Issue.record("No count was returned.")
      return
    }
    #expect(count == expected)
  }

  @Test("a fetch of an entity finds its subentities' records, an exact one does not (B299, B128)")
  func subentities() throws {
    let id = try stack.coordinator.obtainPermanentIDs(
      for: NewRecords([(stack.company.employee, stack.attached(store))]))[0]
    let row = Row(layout: stack.company.employee.layout, key: id.key, version: 1)
    row.setString("Eve", at: stack.company.slot("name", of: stack.company.person))
    try stack.commit(.inserting([InsertedRecord(id: id, row: row)]))
    #expect(try fetch(stack.people()).contains("Eve"))
    var exact = stack.people()
    exact.entities = [stack.company.person]
    #expect(try !fetch(exact).contains("Eve"))
    guard case .rows(let rows) = try stack.fetch(stack.people(sortedBy: ["name"], offset: 4)) else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(rows.objectID(at: 0).entity === stack.company.employee)
  }

  @Test("a condition through a relationship loads all destinations in one request (B127)")
  func relationshipsAreLoadedTogether() throws {
    let departments = try ["Lab", "Mill", "Yard"].map {
      try stack.insert(stack.company.department, named: $0, into: store)
    }
    for (index, department) in departments.enumerated() {
      try stack.insertPeople(
        (0..<20).map { ("P\(index).\($0)", 40) }, into: store, department: department)
    }
    let before = stack.coordinator.counters
    let request = stack.people(
      where: stack.worksIn("Mill"), sortedBy: ["name"], limit: 2, offset: 1)
    #expect(try fetch(request) == ["P1.1", "P1.10"])
    let spent = stack.coordinator.counters - before
    #expect(spent.roundTrips == 2)
    #expect(spent.rowRequests == 1)
  }

  @Test("a to-many step loads all links in one request and all members in another (B127)")
  func toManyIsLoadedTogether() throws {
    let departments = try ["Lab", "Mill", "Yard"].map {
      try stack.insert(stack.company.department, named: $0, into: store)
    }
    try stack.insertPeople([("Zoe", 90), ("Yan", 10)], into: store, department: departments[1])
    try stack.insertPeople([("Xia", 15)], into: store, department: departments[2])
    let department = stack.company.department
    let hasOldMember = ResolvedPredicate.comparison(
      ResolvedComparison(
        left: .path(stack.path("people", "age", from: department)), comparison: .greaterThan,
        right: .constant(.integer(80)), modifier: .any))
    let before = stack.coordinator.counters
    let result = try stack.fetch(
      ResolvedFetch(
        entity: department, entities: [department], predicate: hasOldMember, result: .keys))
    guard case .ids(let found) = result else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(found == [departments[1]])
    let spent = stack.coordinator.counters - before
    #expect(spent.relationshipRequests == 1)
    #expect(spent.roundTrips <= 3)
  }

  @Test("a relationship whose destination is gone leads to nothing, and is asked for once (B71)")
  func danglingReference() throws {
    let department = try stack.insert(stack.company.department, named: "Lab", into: store)
    try stack.insertPeople([("Zoe", 90), ("Yan", 91)], into: store, department: department)
    try stack.commit(.deleting([RecordVersion(id: department, version: 1)]))
    let before = stack.coordinator.counters
    #expect(try fetch(stack.people(where: stack.worksIn("Lab"))) == [])
    #expect((stack.coordinator.counters - before).rowRequests == 1)
  }

  @Test("columns are projected, grouped and windowed as tuples (B131, B134)")
  func columns() throws {
    let age = ResolvedExpression.path(stack.path("age", from: stack.company.person))
    let columns = ResolvedColumns(
      columns: [
        ResolvedColumns.Column(name: "age", expression: age, isAggregate: false, type: .integer32),
        ResolvedColumns.Column(
          name: "n", expression: .function(.count, [age]), isAggregate: true, type: .integer64),
      ], groupBy: [age])
    let result = try stack.fetch(
      stack.people(sortedBy: ["age"], limit: 1, offset: 1, result: .columns(columns)))
    guard case .tuples(let values, let width) = result else {
      Issue.record("No tuples were returned.")
      return
    }
    #expect(width == 2)
    #expect(values == [.integer(30), .integer(1)])
    let all = try stack.fetch(stack.people(sortedBy: ["age"], result: .columns(columns)))
    guard case .tuples(let every, _) = all else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(
      every == [.integer(20), .integer(1), .integer(30), .integer(1), .integer(36), .integer(2)])
  }

  @Test("what would be done in memory is refused when the policy forbids it, before anything runs")
  func policy() throws {
    var request = CoordinatorFetch(
      fetch: stack.people(where: stack.isOlder(than: 30)), allowsInMemoryEvaluation: false)
    #expect(errorCode { _ = try stack.coordinator.fetch(request) } == .forbiddenByPolicy)
    #expect(store.script.withLock { $0.fetches.isEmpty })
    request.fetch.result = .count
    #expect(errorCode { _ = try stack.coordinator.fetch(request) } == .forbiddenByPolicy)
    request.fetch = stack.people()
    #expect(try stack.names(stack.coordinator.fetch(request)).count == 4)
  }

  @Test("explain says what would run, and runs nothing")
  func explain() throws {
    let plans = try stack.coordinator.explain(
      CoordinatorFetch(fetch: stack.people(where: stack.isOlder(than: 30))))
    #expect(plans.count == 1)
    #expect(plans[0].store === store.identity)
    #expect(plans[0].plan.description == "store: scan Person\nmemory: the condition")
    #expect(store.script.withLock { $0.fetches.isEmpty })
  }

  @Test("an entity that no store holds is refused (B232)")
  func noStore() throws {
    let stack = try Stack()
    try stack.addStore("notes", configuration: "NotesOnly")
    #expect(errorCode { _ = try stack.fetch(stack.people()) } == .noStore)
    #expect(errorCode { _ = try Stack().fetch(stack.people()) } == .noStore)
  }

  @Test("a fetch fills the row cache, so that faults need no store (B36)")
  func fillsCache() throws {
    let later = try reopened()
    _ = try later.fetch(later.people())
    let before = later.coordinator.counters
    let rows = try later.coordinator.rows(for: ids)
    #expect(rows.allSatisfy { $0 != nil })
    #expect((later.coordinator.counters - before).roundTrips == 0)
    #expect((later.coordinator.counters - before).cacheHits == 4)
  }

  @Test("a fetch without property values leaves the row cache empty (B37)")
  func leavesCacheEmpty() throws {
    let later = try reopened()
    _ = try later.coordinator.fetch(
      CoordinatorFetch(fetch: later.people(), fillsRowCache: false))
    let before = later.coordinator.counters
    _ = try later.coordinator.rows(for: ids)
    #expect((later.coordinator.counters - before).rowRequests == 1)
  }

  @Test("a record that is deleted while a fetch runs does not come back into the cache")
  func deletedDuringFetch() throws {
    let (coordinator, id) = (stack.coordinator, ids[0])
    store.script.withLock { script in
      script.duringFetch = {
        _ = try? coordinator.commit(.deleting([RecordVersion(id: id, version: 1)]))
      }
    }
    _ = try stack.fetch(stack.people())
    store.script.withLock { $0.duringFetch = nil }
    #expect(coordinator.cachedRow(for: id) == nil)
    #expect(try coordinator.rows(for: [id])[0] == nil)
  }

  /// Returns another coordinator on the same data with an empty cache.
  private func reopened() throws -> Stack {
    let later = try Stack(company: stack.company, driver: stack.driver)
    try later.addStore("all")
    return later
  }
}
