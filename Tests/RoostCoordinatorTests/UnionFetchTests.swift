// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Fetches over several stores")
struct UnionFetchTests {
  let stack: Stack
  let stores: [MinimalStore]
  let people: [(name: String, age: Int64)]

  init() throws {
    stack = try Stack()
    stores = try ["one", "two", "three"].map { [stack] in try stack.addStore($0) }
    var random = TestRandom(seed: 7)
    people = (0..<60).map { _ in
      ("P\(random.next(below: 40))", Int64(random.next(below: 10)))
    }
    for (index, person) in people.enumerated() {
      try stack.insertPeople([person], into: stores[index * index % 3])
    }
  }

  @Test("all stores that hold the entity answer, no record twice (B233)")
  func union() throws {
    let names = stack.names(try stack.fetch(stack.people()))
    #expect(names.sorted() == people.map(\.name).sorted())
    guard case .ids(let ids) = try stack.fetch(stack.people(result: .keys)) else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(Set(ids).count == 60)
  }

  @Test(
    "the order holds over all stores, offset and limit count once (B136, B125)",
    arguments: [(nil, 0), (7, 0), (7, 5), (100, 55), (5, 60), (0, 0), (nil, 58), (Int.max, 3)])
  func globalWindow(_ limit: Int?, _ offset: Int) throws {
    let expected = people.sorted { ($0.age, $0.name) < ($1.age, $1.name) }
      .dropFirst(offset).prefix(limit ?? .max).map(\.name)
    let result = try stack.fetch(
      stack.people(sortedBy: ["age", "name"], limit: limit, offset: offset))
    #expect(stack.names(result) == expected)
    let count = try stack.fetch(stack.people(limit: limit, offset: offset, result: .count))
    guard case .count(let number) = count else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(number == expected.count)
  }

  @Test("IDs come in the order of the rows, ties included (B130)")
  func idsLikeRows() throws {
    for keys in [[], ["age"], ["age", "name"]] {
      let fetch = stack.people(sortedBy: keys, limit: 20, offset: 3)
      guard case .rows(let rows) = try stack.fetch(fetch) else {
        Issue.record("The answer has another form.")
        return
      }
      var request = fetch
      request.result = .keys
      guard case .ids(let ids) = try stack.fetch(request) else {
        Issue.record("The answer has another form.")
        return
      }
      #expect(ids == rows.rows.indices.map { rows.objectID(at: $0) })
      #expect(ids.allSatisfy { $0.persistentStore != nil })
    }
  }

  @Test("each store is asked for no more than the end of the window (B136)")
  func pushedDown() throws {
    _ = try stack.fetch(stack.people(sortedBy: ["age"], limit: 7, offset: 5))
    for store in stores {
      let request = try #require(store.script.withLock { $0.fetches.last })
      #expect(request.limit == 12)
      #expect(request.offset == 0)
      #expect(request.sort.count == 1)
    }
  }

  @Test("affected stores limit the search, and only they are asked (B136)")
  func affectedStores() throws {
    let result = try stack.coordinator.fetch(
      CoordinatorFetch(fetch: stack.people(), affectedStores: [stores[1].identity]))
    guard case .rows(let rows) = result else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(rows.count > 0)
    #expect(rows.singleStore?.store === stores[1])
    #expect(stores[0].script.withLock { $0.fetches.isEmpty })
    let none = try stack.coordinator.fetch(
      CoordinatorFetch(fetch: stack.people(result: .count), affectedStores: []))
    guard case .count(0) = none else {
      Issue.record("No store was to be asked.")
      return
    }
  }

  @Test("each row tells its store (B233)")
  func rowsTellTheirStore() throws {
    guard case .rows(let rows) = try stack.fetch(stack.people(sortedBy: ["name"])) else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(rows.singleStore == nil)
    for index in 0..<rows.count {
      let id = rows.objectID(at: index)
      #expect(id.storeIdentity === rows.store(at: index).identity)
      #expect(id.persistentStore === rows.store(at: index).store)
    }
  }

  @Test("a constant that names an object is found in its own store only (B143)")
  func objectConstants() throws {
    let first = try stack.insert(stack.company.department, named: "Lab", into: stores[0])
    let second = try stack.insert(stack.company.department, named: "Lab", into: stores[1])
    #expect(first.key == second.key || first != second)
    try stack.insertPeople([("Zoe", 50)], into: stores[0], department: first)
    try stack.insertPeople([("Yan", 50)], into: stores[1], department: second)
    let relationship = stack.company.relationship("department", of: stack.company.person)
    let path = ResolvedPath(root: .object, relationships: [relationship], end: .object)
    let works = ResolvedPredicate.comparison(
      ResolvedComparison(
        left: .path(path), comparison: .equalTo, right: .constant(.objectID(second))))
    #expect(stack.names(try stack.fetch(stack.people(where: works))) == ["Yan"])
  }

  // MARK: Columns

  private var age: ResolvedExpression {
    .path(stack.path("age", from: stack.company.person))
  }

  private var name: ResolvedExpression {
    .path(stack.path("name", from: stack.company.person))
  }

  private func column(
    _ expression: ResolvedExpression, isAggregate: Bool = false, type: AttributeType = .integer64
  ) -> ResolvedColumns.Column {
    ResolvedColumns.Column(
      name: "c", expression: expression, isAggregate: isAggregate, type: type)
  }

  private func aggregate(_ function: FetchFunction) -> ResolvedColumns.Column {
    column(.function(function, [age]), isAggregate: true)
  }

  private func tuples(
    _ columns: ResolvedColumns, sortedBy keys: [String] = [], limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    let result = try stack.fetch(
      stack.people(sortedBy: keys, limit: limit, offset: offset, result: .columns(columns)))
    guard case .tuples(let values, let width) = result else {
      Issue.record("The answer has another form.")
      return []
    }
    #expect(width == columns.columns.count)
    return values
  }

  @Test("aggregates are those of all stores together, averages too (B134)")
  func aggregates() throws {
    let functions: [FetchFunction] = [.count, .sum, .minimum, .maximum, .average, .median]
    let ages = people.map(\.age).sorted()
    let mean = Double(ages.reduce(0, +)) / 60
    let median = Double(ages[29] + ages[30]) / 2
    let values = try tuples(ResolvedColumns(columns: functions.map(aggregate)))
    #expect(
      values == [
        .integer(60), .integer(ages.reduce(0, +)), .integer(ages[0]), .integer(ages[59]),
        .double(mean), .double(median),
      ])
    // Without the median the stores aggregate their own rows; the result is the same.
    let merged = try tuples(ResolvedColumns(columns: functions.dropLast().map(aggregate)))
    #expect(merged == values.dropLast())
  }

  @Test("groups of several stores become one group a key (B134)")
  func groups() throws {
    let columns = ResolvedColumns(
      columns: [column(age), aggregate(.count), aggregate(.average)], groupBy: [age])
    var expected: [Value: Value] = [:]
    for (age, group) in Dictionary(grouping: people, by: \.age) {
      expected[.integer(age)] = .integer(Int64(group.count))
    }
    let values = try tuples(columns)
    #expect(values.count == expected.count * 3)
    for start in stride(from: 0, to: values.count, by: 3) {
      #expect(expected[values[start]] == values[start + 1])
      guard case .integer(let age) = values[start] else {
        Issue.record("The answer has another form.")
        continue
      }
      #expect(values[start + 2] == .double(Double(age)))
    }
    let sorted = try tuples(columns, sortedBy: ["age"], limit: 2, offset: 1)
    let ages = Set(people.map(\.age)).sorted()
    #expect(sorted.count == 6)
    #expect([sorted[0], sorted[3]] == [.integer(ages[1]), .integer(ages[2])])
  }

  @Test("a condition on groups judges the whole group, not a store's part (B134)")
  func having() throws {
    let counts = Dictionary(grouping: people, by: \.age).mapValues(\.count)
    let largest = try #require(counts.values.max())
    let columns = ResolvedColumns(
      columns: [column(age)], groupBy: [age],
      having: .comparison(
        ResolvedComparison(
          left: .function(.count, [age]), comparison: .equalTo,
          right: .constant(.integer(Int64(largest))))))
    let expected = counts.filter { $0.value == largest }.keys.sorted().map { Value.integer($0) }
    #expect(try tuples(columns, sortedBy: ["age"]) == expected)
  }

  @Test("equal tuples of several stores are returned once, and then windowed (B135)")
  func distinct() throws {
    let columns = ResolvedColumns(columns: [column(age)], distinct: true)
    let ages = Set(people.map(\.age)).sorted()
    let values = try tuples(columns, sortedBy: ["age"], limit: 3, offset: 1)
    #expect(values == ages[1...3].map { .integer($0) })
  }

  @Test("columns without groups keep the order and the window of the rows (B131)")
  func plainColumns() throws {
    let columns = ResolvedColumns(columns: [column(name, type: .string), column(age)])
    let values = try tuples(columns, sortedBy: ["age", "name"], limit: 4, offset: 2)
    let expected = people.sorted { ($0.age, $0.name) < ($1.age, $1.name) }[2..<6]
    #expect(values == expected.flatMap { [.string($0.name), .integer($0.age)] })
  }

  @Test("a sum that no type can hold is refused, an average of it is not")
  func overflow() throws {
    let salary = ResolvedExpression.path(stack.path("age", from: stack.company.person))
    for store in stores.prefix(2) {
      try stack.insertPeople([("Max", .max)], into: store)
    }
    let sum = column(.function(.sum, [salary]), isAggregate: true)
    #expect(
      errorCode { _ = try tuples(ResolvedColumns(columns: [sum])) } == .arithmeticOverflow)
    let average = column(.function(.average, [salary]), isAggregate: true)
    let values = try tuples(ResolvedColumns(columns: [average]))
    guard case .double(let mean) = values[0] else {
      Issue.record("An average is a double.")
      return
    }
    #expect(mean > 1e17)
  }

  @Test("a sum that only all stores together cannot hold is refused as well")
  func overflowOfParts() throws {
    let stack = try Stack()
    for name in ["one", "two"] {
      try stack.insertPeople([("Max", .max)], into: try stack.addStore(name))
    }
    let path = ResolvedExpression.path(stack.path("age", from: stack.company.person))
    let sum = column(.function(.sum, [path]), isAggregate: true)
    let request = stack.people(result: .columns(ResolvedColumns(columns: [sum])))
    #expect(errorCode { _ = try stack.fetch(request) } == .arithmeticOverflow)
  }

  @Test("a failing store fails the fetch: no partial results")
  func failingStore() throws {
    stores[2].close()
    #expect(errorCode { _ = try stack.fetch(stack.people()) } == .storeRemoved)
  }
}
