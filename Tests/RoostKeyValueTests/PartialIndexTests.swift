// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of partial indexes: the rows that they contain, and when the planner may use them.
@Suite struct PartialIndexTests {
  let company: Company
  let population: Population

  init() throws {
    company = try Company { entities in
      let adults = FetchIndexDescription(
        name: "adults", elements: [FetchIndexElementDescription(propertyName: "badge")])
      adults.partialIndexPredicate = UnparsedPredicate("age >= 18 AND active == YES")
      let strange = FetchIndexDescription(
        name: "strange", elements: [FetchIndexElementDescription(propertyName: "photo")])
      strange.partialIndexPredicate = UnparsedPredicate("name CONTAINS 'a' OR age == 3")
      entities["Person"]?.indexes += [adults, strange]
    }
    population = try Population(company, seed: 31)
    try population.addDepartments(2)
    try population.addPeople(300)
    for _ in 0..<3 { try population.changeSomePeople() }
  }

  var index: IndexDefinition {
    get throws {
      try #require(
        population.store.preparedSchema().indexes.first { $0.name == "Person.adults" })
    }
  }

  func keysInIndex() throws -> [Int64] {
    let index = try index
    var keys: [Int64] = []
    try population.store.engine.read { snapshot in
      try snapshot.scanKeys(of: index.table, in: .all, descending: false) { part in
        keys += part
        return true
      }
    }
    return keys
  }

  func isAdult(_ row: Row) -> Bool {
    row.integer(company.slot("age")) >= 18 && !row.isNull(company.slot("age"))
      && row.integer(company.slot("active")) == 1
  }

  @Test("only the rows of the condition have entries, after inserts, updates and deletions (B12)")
  func entries() throws {
    let keys = try keysInIndex()
    let expected = population.expected.values.filter {
      RecordKey.entityCode(of: $0.key) < 3 && isAdult($0)
    }
    #expect(keys.sorted() == expected.map(\.key).sorted())
    #expect(!keys.isEmpty && keys.count < population.expected.count / 2)
  }

  @Test("the index is used where the request implies its condition, and nowhere else")
  func use() throws {
    let active = company.compare("active", .equalTo, .boolean(true))
    let sort = [company.sort("badge")]
    let implied: [ResolvedPredicate] = [
      .and([active, company.compare("age", .greaterThanOrEqualTo, .integer(18))]),
      .and([active, company.compare("age", .greaterThan, .integer(19))]),
      .and([active, company.compare("age", .equalTo, .integer(20))]),
      .and([
        active, company.compare("age", .between, .list([.integer(18), .integer(40)])),
        company.compare("email", .contains, .string("1")),
      ]),
    ]
    for predicate in implied {
      let request = company.fetch(predicate, sort: sort, limit: 4)
      #expect(try population.keys(request) == population.reference(request))
    }
    let request = company.fetch(implied[0], sort: sort, limit: 4)
    #expect(
      try population.store.plan(for: request).steps == [
        "search Person with Person.adults: 1 range, in order", "stop after 4",
      ])
    for predicate in [
      active, company.compare("age", .equalTo, .integer(20)),
      .and([active, company.compare("age", .greaterThan, .integer(3))]),
      .and([active, company.compare("age", .equalTo, .null)]),
      .or([implied[0], active]),
    ] {
      let request = company.fetch(predicate, sort: sort, limit: 4)
      #expect(try population.store.plan(for: request).indexes != ["Person.adults"])
      #expect(try population.keys(request) == population.reference(request))
    }
  }

  @Test(
    "a record that only its condition's attribute changes comes into the index, or leaves it (B12)")
  func conditionAlone() throws {
    let (age, active) = (company.slot("age"), company.slot("active"))
    let key = try #require(
      population.expected.values.first { RecordKey.entityCode(of: $0.key) < 3 && !isAdult($0) }?.key
    )
    for (years, isActive) in [(3, true), (40, true), (40, false), (41, true), (2, true)] {
      let old = try #require(population.expected[key])
      let row = old.copy(version: old.version + 1)
      row.setInteger(Int64(years), at: age)
      row.setInteger(isActive ? 1 : 0, at: active)
      let update = RowUpdate(
        row: row, baseVersion: old.version, changedSlots: [age.index, active.index].sorted())
      try population.commit(StoreChangeSet(updated: [update]))
      #expect(try keysInIndex().contains(key) == isAdult(row), "\(years), \(isActive)")
    }
  }

  @Test("a condition that an index cannot say itself leaves no row out")
  func otherConditions() throws {
    let strange = try #require(
      population.store.preparedSchema().indexes.first { $0.name == "Person.strange" })
    #expect(strange.conditions.isEmpty)
  }

  @Test("what implies what")
  func implication() {
    func range(_ lower: UInt8?, _ upper: UInt8?, inclusive: Bool = true) -> SlotCondition {
      .range(
        lower: lower.map { .init(value: [$0], isInclusive: inclusive) },
        upper: upper.map { .init(value: [$0], isInclusive: inclusive) })
    }
    #expect(range(5, 7).implies(range(5, 7)) && range(6, 7).implies(range(5, nil)))
    #expect(range(5, 7, inclusive: false).implies(range(5, 7)))
    #expect(
      !range(5, 7).implies(range(5, 7, inclusive: false)) && !range(nil, 7).implies(range(5, 7)))
    #expect(
      SlotCondition.equal([6]).implies(range(5, 7))
        && !SlotCondition.equal([8]).implies(range(5, 7)))
    #expect(!SlotCondition.equal([KeyEncoding.null]).implies(range(nil, nil)))
    #expect(SlotCondition.never.implies(range(5, 7)))
    #expect(
      SlotCondition.prefix([1, 2]).implies(.prefix([1]))
        && !SlotCondition.prefix([1]).implies(.prefix([1, 2])))
    #expect(!range(5, 7).implies(.equal([6])) && !SlotCondition.prefix([1]).implies(range(1, 2)))
  }
}
