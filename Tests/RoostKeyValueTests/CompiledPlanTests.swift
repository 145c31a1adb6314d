// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of compiled plans, which requests of the same shape share.
@Suite struct CompiledPlanTests {
  let company: Company
  let population: Population
  private let resolver: RequestResolver

  init() throws {
    company = try Company()
    population = try Population(company, seed: 3)
    try population.addDepartments(10)
    try population.addPeople(600)
    var resolver = RequestResolver(model: company.model)
    resolver.known = ResolvedRequests()
    self.resolver = resolver
  }

  private func resolve(
    _ format: String, _ arguments: [Any], sort: [SortOrdering] = [], limit: Int = 3
  ) throws -> ResolvedFetch {
    let request = FetchRequest<ObjectID>(entityName: "Person")
    request.predicate = try FetchPredicate(format: format, argumentArray: arguments)
    request.sortDescriptors = sort
    request.fetchLimit = limit
    let fetch = try resolver.resolve(request)
    #expect(fetch.shape != nil)
    return fetch
  }

  private var count: Int { get throws { try population.store.preparedPlans().count } }

  /// Checks that the result equals that of a full scan.
  private func check(_ fetch: ResolvedFetch) throws {
    #expect(try population.keys(fetch) == population.reference(fetch), "\(fetch.arguments)")
  }

  @Test(
    "requests of a shape that an index answers share a plan, and each has its own values (B121)")
  func values() throws {
    for age in [17, 18, 19, 20, -5, 1000, 4] {
      try check(resolve("age == %@", [age]))
      try check(resolve("age == %@", [age], limit: 7))
    }
    #expect(try count == 1)
    for age in [17, 18, -6, 2000, Int(Int32.max)] {
      try check(resolve("age > %@", [age], sort: [SortOrdering("age")]))
      try check(resolve("age <= %@", [age], sort: [SortOrdering("age")]))
    }
    #expect(try count == 3)
    for key in population.expected.keys.sorted().prefix(12) {
      let id = try #require(company.schema.objectID(forKey: key))
      try check(resolve("department == %@", [id]))
    }
    #expect(try count == 4)
  }

  @Test("parts of a condition may stand in another order than the components of their index (B121)")
  func order() throws {
    for row in population.expected.values.prefix(20) where row.layout === company.person.layout {
      let name = row.string(company.slot("name"))
      let age = Int(row.integer(company.slot("age")))
      try check(resolve("age == %@ AND name == %@", [age, name]))
      try check(resolve("age > %@ AND name == %@", [age - 1, name]))
    }
    #expect(try count >= 1)
  }

  @Test("values of a descending component share a plan, too (B121)")
  func descending() throws {
    let salary = company.slot("salary")
    for row in population.expected.values.prefix(40) where row.layout === company.person.layout {
      guard !row.isNull(salary) else { continue }
      try check(resolve("salary == %@", [row.decimal(salary)]))
    }
    try check(resolve("salary == %@", [Decimal(-1)]))
    #expect(try count == 1)
  }

  @Test("a value that is found at most once needs no limit to share a plan (B191)")
  func unique() throws {
    for row in population.expected.values.prefix(20) where row.layout === company.person.layout {
      try check(resolve("email == %@", [row.string(company.slot("email"))], limit: 0))
    }
    #expect(try count == 1)
  }

  @Test(
    "a request of the shape that wants many, and one for an object of another store, are planned anew"
  )
  func others() throws {
    try check(resolve("age == %@", [18]))
    let many = try resolve("age == %@", [18], limit: 599)
    #expect(try population.store.plan(for: many).steps.last == "stop after 599")
    try check(many)
    let all = try resolve("age == %@", [18], limit: 0)
    try check(all)
    let department = try #require(population.expected.keys.min())
    let id = try #require(company.schema.objectID(forKey: department))
    try check(resolve("department == %@", [id]))
    let other = StoreSchema(
      identity: StoreIdentity(identifier: "OTHER", type: "InMemory"), model: company.model,
      entities: company.schema.entities, linkTables: company.model.linkTables,
      codes: ["Person": 1, "Employee": 2, "Department": 3, "Tag": 4])
    let foreign = try resolve(
      "department == %@", [#require(other.objectID(forKey: department))])
    #expect(try population.keys(foreign) == [])
  }

  @Test("a condition that is judged row by row shares nothing")
  func judged() throws {
    for text in ["A", "B"] {
      try check(resolve("age == %@ AND name CONTAINS %@", [18, text]))
      try check(resolve("department.name == %@", [text]))
      try check(resolve("age == %@ AND age > %@", [18, 17]))
      try check(resolve("age IN %@", [[18, 19]]))
    }
    #expect(try count == 0)
  }
}
