// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of the planner's choice of plans, and that all plans return the same result.
@Suite struct PlannerTests {
  let company: Company
  let population: Population

  init() throws {
    company = try Company()
    population = try Population(company, seed: 1)
    try population.addDepartments(10)
    try population.addPeople(600)
  }

  func plan(_ request: ResolvedFetch) throws -> QueryPlan {
    let plan = try population.store.plan(for: request)
    #expect(plan.inMemory.isEmpty, "nothing is left to the coordinator")
    return plan
  }

  @Test("an equal value, a range, a list and a beginning are found with their index")
  func conditions() throws {
    #expect(
      try plan(company.fetch(company.compare("age", .equalTo, .integer(1000)))).indexes == [
        "Person.byAge"
      ])
    #expect(
      try plan(
        company.fetch(company.compare("born", .greaterThan, .date(.distantFuture)))
      ).indexes == ["Person.byBorn"])
    #expect(
      try plan(
        company.fetch(company.compare("score", .between, .list([.double(1), .double(2)])))
      ).indexes
        == ["Person.byScore"])
    #expect(
      try plan(
        company.fetch(
          company.compare("email", .in, .list([.string("1@example.org"), .string("x")])))
      ).indexes
        == ["Person.unique(email)"])
    #expect(
      try plan(company.fetch(company.compare("email", .beginsWith, .string("12@")))).indexes
        == ["Person.unique(email)"])
    let department = population.expected.keys.min()!
    #expect(
      try plan(company.fetch(company.compare("department", .equalTo, company.id(department))))
        .indexes == ["Person.department"])
  }

  @Test(
    "a unique value is found with its index, however few records there are, in requests of a shape")
  func uniqueValueOfShape() throws {
    let empty = try Population(company, seed: 2)
    var resolver = RequestResolver(model: company.model)
    resolver.known = ResolvedRequests()
    let request = FetchRequest<ObjectID>(entityName: "Person")
    request.predicate = try FetchPredicate("email == %@", "1@example.org")
    let shaped = try resolver.resolve(request)
    #expect(shaped.shape != nil)
    #expect(try empty.store.plan(for: shaped).indexes == ["Person.unique(email)"])
    // A request without a shape is planned by cost, and an empty scan costs nothing.
    let anew = try RequestResolver(model: company.model).resolve(request)
    #expect(try empty.store.plan(for: anew).indexes == [])
  }

  @Test("of the rows that come first nil is before the smallest number, and after it backwards")
  func firstRows() throws {
    let department = population.expected.keys.min()!
    let ages: [Int64?] = [5, .min, .min, .min, nil, nil, nil, 6]
    let rows = ages.map { age in
      let row = Row(
        layout: company.person.layout, key: population.newKey(company.person), version: 1)
      if let age { row.setInteger(age, at: company.slot("age")) }
      row.setInteger(department, at: company.slot("department"))
      return row
    }
    try population.commit(StoreChangeSet(inserted: rows))
    let isThere = company.compare("department", .equalTo, company.id(department))
    for ascending in [true, false] {
      for limit in [12, 40, 66, 70, 10_001] {
        let request = company.fetch(
          isThere, sort: [company.sort("age", ascending: ascending)], limit: limit)
        #expect(try plan(request).steps.contains("sort the first \(limit)"))
        #expect(try population.keys(request) == population.reference(request))
      }
    }
  }

  @Test("a condition that no index knows is judged by a scan")
  func scans() throws {
    for predicate in [
      company.compare("age", .notEqualTo, .integer(3)),
      company.compare("email", .contains, .string("1")),
      company.compare("email", .equalTo, .string("A"), options: .caseInsensitive),
      company.compare("badge", .equalTo, .uuid(UUID())),
      company.compare("age", .equalTo, .string("no number")),
      .or([company.compare("age", .equalTo, .integer(1)), .constant(false)]),
      .not(company.compare("age", .equalTo, .integer(1))),
    ] {
      let plan = try plan(company.fetch(predicate))
      #expect(plan.steps == ["scan Person", "filter", "sort"] && plan.indexes.isEmpty)
    }
  }

  @Test("an order with a limit reads the index and stops")
  func orders() throws {
    let first = try plan(company.fetch(sort: [company.sort("score")], limit: 5))
    #expect(
      first.steps == [
        "search Person with Person.byScore: 1 range, in order", "stop after 5",
      ])
    let last = try plan(company.fetch(sort: [company.sort("score", ascending: false)], limit: 5))
    #expect(last.steps[0] == "search Person with Person.byScore: 1 range, backwards")
    let mixed = try plan(
      company.fetch(
        sort: [company.sort("name", ascending: false), company.sort("age")], limit: 5))
    #expect(mixed.steps[0] == "search Person with Person.byNameAndAge: 1 range, backwards")
    let unusable = try plan(
      company.fetch(sort: [company.sort("name"), company.sort("age")], limit: 5))
    #expect(unusable.indexes == ["Person.unique(name,age)"])
    let partly = try plan(company.fetch(sort: [company.sort("name")], limit: 5))
    #expect(partly.steps == ["scan Person", "sort the first 5"])
  }

  @Test("a fixed value and an order use one index together")
  func fixedAndOrdered() throws {
    let plan = try plan(
      company.fetch(
        company.compare("name", .equalTo, .string("A")), sort: [company.sort("age")], limit: 3))
    #expect(plan.indexes.count == 1)
    #expect(plan.steps.last == "stop after 3")
  }

  @Test("an object is looked up by its key (B143)")
  func identity() throws {
    let keys = population.expected.keys.sorted().prefix(3)
    let predicate = ResolvedPredicate.comparison(
      ResolvedComparison(
        left: .path(company.selfPath), comparison: .in,
        right: .list(keys.map { company.id($0) } + [.null])))
    let request = company.fetch(predicate, of: company.department)
    #expect(try plan(request).steps[0] == "look up Department by 3 keys")
    #expect(try population.keys(request) == Array(keys))
    #expect(try population.keys(company.fetch(predicate)) == [])
  }

  @Test("a count comes from the entries of an index, without a look at the rows (B144)")
  func counts() throws {
    let request = company.fetch(company.compare("age", .equalTo, .integer(18)), result: .count)
    #expect(
      try plan(request).steps == [
        "search Person with Person.byAge: 1 range, in order, entries only", "count",
      ])
    let everybody = company.fetch(result: .count)
    #expect(try plan(everybody).steps == ["scan Person, entries only", "count"])
    guard case .count(600) = try population.store.fetch(everybody).content else {
      Issue.record("there are 600 people")
      return
    }
  }

  @Test("an index of a superentity finds the subentity's rows only when they are asked for (B128)")
  func subentities() throws {
    let predicate = company.compare("age", .equalTo, .integer(18))
    let request = company.fetch(predicate, of: company.employee)
    #expect(try plan(request).steps.contains("filter by entity"))
    #expect(try population.keys(request) == population.reference(request))
    var exact = company.fetch(predicate)
    exact.entities = [company.person]
    #expect(try population.keys(exact) == population.reference(exact))
  }

  // MARK: - Several ways

  @Test("alternatives that indexes find each are the union of what they find")
  func unions() throws {
    let alternatives = ResolvedPredicate.or([
      company.compare("age", .equalTo, .integer(18)),
      company.compare("email", .beginsWith, .string("12@")),
    ])
    let request = company.fetch(alternatives)
    let plan = try plan(request)
    #expect(plan.indexes == ["Person.byAge", "Person.unique(email)"])
    #expect(plan.steps[1...] == ["filter by entity", "filter"])
    #expect(try population.keys(request) == population.reference(request))
    let more = company.fetch(
      .and([alternatives, company.compare("active", .equalTo, .boolean(true))]),
      sort: [company.sort("score", ascending: false)])
    #expect(try self.plan(more).indexes == plan.indexes)
    #expect(try population.keys(more) == population.reference(more))
  }

  @Test("an alternative that no index finds makes all of them a scan")
  func alternativesWithoutIndex() throws {
    let request = company.fetch(
      .or([
        company.compare("age", .equalTo, .integer(18)),
        company.compare("email", .contains, .string("1")),
      ]))
    #expect(try plan(request).steps[0] == "scan Person")
  }

  @Test("an object or a value: keys and an index are a union too")
  func keysOrIndex() throws {
    let person = try #require(
      population.expected.keys.filter { RecordKey.entityCode(of: $0) == 1 }.min())
    let request = company.fetch(
      .or([
        company.compare(company.selfPath, .equalTo, company.id(person)),
        company.compare("age", .equalTo, .integer(18)),
      ]))
    #expect(try plan(request).steps[0].hasSuffix("union of 2"))
    #expect(try population.keys(request) == population.reference(request))
  }

  @Test("a condition through a relationship uses the destination's index and the way back")
  func paths() throws {
    let request = company.fetch(
      company.compare(company.path("department", "name"), .equalTo, .string("Department 3")))
    let plan = try plan(request)
    #expect(plan.indexes == ["Person.department", "Department.unique(name)"])
    #expect(!plan.steps.contains("filter"))
    #expect(try population.keys(request) == population.reference(request))
    #expect(try !population.keys(request).isEmpty)
    // A person without a department has a nil department name, and is not found by an index of departments.
    let none = company.fetch(
      company.compare(company.path("department", "name"), .equalTo, .null))
    #expect(try self.plan(none).steps[0] == "scan Person")
    #expect(try population.keys(none) == population.reference(none))
    #expect(try !population.keys(none).isEmpty)
  }
}
