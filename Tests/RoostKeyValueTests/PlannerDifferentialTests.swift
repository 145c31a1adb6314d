// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests that random requests return the same records in the same order by the planner and by a full scan.
@Suite struct PlannerDifferentialTests {
  let company: Company

  init() throws { company = try Company() }

  @Test("every plan gives the answer of a full scan", arguments: 1...10)
  func randomRequests(seed: UInt64) throws {
    try check(seed: seed, longestEntryKey: .max)
  }

  @Test("keys that are cut and hashed give the answer of a full scan", arguments: 1...6)
  func cutKeys(seed: UInt64) throws {
    try check(seed: seed, longestEntryKey: 40)
  }

  func check(seed: UInt64, longestEntryKey: Int) throws {
    let population = try Population(company, seed: seed, longestEntryKey: longestEntryKey)
    try population.addDepartments(6)
    try population.addPeople(150)
    var indexes: Set<String> = []
    for _ in 0..<3 {
      try population.changeSomePeople()
      var requests = RandomRequests(company, population, seed: seed)
      for _ in 0..<50 {
        let request = requests.next()
        let plan = try population.store.plan(for: request)
        indexes.formUnion(plan.indexes)
        try check(request, in: population, plan)
      }
    }
    #expect(indexes.count > 5, "the requests use many indexes: \(indexes)")
  }

  /// Checks that rows, keys and a count all equal the result of a full scan.
  func check(
    _ request: ResolvedFetch, in population: Population, _ plan: QueryPlan
  ) throws {
    let reference = try population.reference(request)
    #expect(try population.keys(request) == reference, "\(request)\n\(plan)")
    var other = request
    other.result = .keys
    #expect(try population.keys(other) == reference, "keys of \(request)\n\(plan)")
    other.result = .count
    guard case .count(let count) = try population.store.fetch(other).content else {
      Issue.record("a count was asked for")
      return
    }
    #expect(count == reference.count, "count of \(request)\n\(plan)")
  }
}

/// Makes requests whose values are often in the store.
struct RandomRequests {
  let company: Company
  let population: Population
  var random: SeededRandom

  init(_ company: Company, _ population: Population, seed: UInt64) {
    self.company = company
    self.population = population
    random = SeededRandom(seed: seed &* 31 &+ UInt64(population.expected.count))
  }

  mutating func next() -> ResolvedFetch {
    let names = ["name", "email", "age", "score", "born", "salary", "active", "badge"]
    var request = company.fetch(
      random.chance(1, in: 8) ? nil : predicate(depth: 2),
      of: random.chance(1, in: 4) ? company.employee : company.person)
    for name in names.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random)) {
      request.sort.append(company.sort(name, ascending: random.chance(1, in: 2)))
    }
    if random.chance(1, in: 4) {
      let isAscending = random.chance(1, in: 2)
      request.sort = [
        company.sort("name", ascending: isAscending), company.sort("age", ascending: !isAscending),
      ]
    }
    if random.chance(1, in: 2) { request.limit = Int.random(in: 0...12, using: &random) }
    if random.chance(1, in: 4) { request.offset = Int.random(in: 0...8, using: &random) }
    if random.chance(1, in: 6) { request.entities = [request.entity] }
    return request
  }

  private mutating func predicate(depth: Int) -> ResolvedPredicate {
    switch depth == 0 ? 0 : Int.random(in: 0..<8, using: &random) {
    case 1, 2, 3: return .and([predicate(depth: depth - 1), predicate(depth: depth - 1)])
    case 4: return .or([predicate(depth: depth - 1), predicate(depth: depth - 1)])
    case 5: return .not(predicate(depth: depth - 1))
    default: return comparison()
    }
  }

  /// Returns a condition on the name of a department, which may be missing.
  private mutating func pathComparison() -> ResolvedPredicate {
    let relationship = random.chance(1, in: 2) ? "department" : "rankedIn"
    let comparisons: [ComparisonPredicate.Comparison] = [
      .equalTo, .lessThan, .greaterThanOrEqualTo, .beginsWith, .notEqualTo,
    ]
    let name = Value.string("Department \(Int.random(in: 0...7, using: &random))")
    let comparison = comparisons.randomElement(using: &random) ?? .equalTo
    let isNull = random.chance(1, in: 6) && comparison == .equalTo
    return company.compare(
      company.path(relationship, "name"), comparison, isNull ? .null : name)
  }

  private mutating func comparison() -> ResolvedPredicate {
    if random.chance(1, in: 6) { return pathComparison() }
    let name = [
      "name", "email", "age", "score", "born", "salary", "active", "department", "rankedIn",
    ].randomElement(using: &random)!
    let slot = company.slot(name)
    if slot.kind == .reference {
      let isList = random.chance(1, in: 3)
      return isList
        ? company.compare(name, .in, .list([value(of: slot), value(of: slot)]))
        : company.compare(name, random.chance(1, in: 4) ? .notEqualTo : .equalTo, value(of: slot))
    }
    if slot.kind == .string, random.chance(1, in: 3) {
      guard case .string(let text) = value(of: slot) else {
        return company.compare(name, .equalTo, .null)
      }
      let part = String(text.prefix(Int.random(in: 0...50, using: &random)))
      return company.compare(
        name, .beginsWith, .string(part),
        options: random.chance(1, in: 5) ? .caseInsensitive : [])
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      return company.compare(
        name, .in, .list((0..<4).map { _ in value(of: slot) }))
    case 1:
      return company.compare(name, .between, .list([value(of: slot), value(of: slot)]))
    case 2: return company.compare(name, .lessThan, value(of: slot))
    case 3: return company.compare(name, .lessThanOrEqualTo, value(of: slot))
    case 4: return company.compare(name, .greaterThan, value(of: slot))
    case 5: return company.compare(name, .greaterThanOrEqualTo, value(of: slot))
    case 6: return company.compare(name, .notEqualTo, value(of: slot))
    default: return company.compare(name, .equalTo, value(of: slot))
    }
  }

  /// Returns a value that some row has, or nil.
  private mutating func value(of slot: RowSlot) -> Value {
    let keys = population.expected.keys.filter { RecordKey.entityCode(of: $0) <= 2 }.sorted()
    guard let row = population.expected[keys.randomElement(using: &random)!], !row.isNull(slot)
    else { return .null }
    return switch slot.kind {
    case .integer: .integer(row.integer(slot))
    case .boolean: .boolean(row.integer(slot) == 1)
    case .double: .double(row.double(slot))
    case .date: .date(Date(timeIntervalSinceReferenceDate: row.double(slot)))
    case .string: .string(row.string(slot))
    case .decimal: .decimal(row.decimal(slot))
    case .reference: company.id(row.integer(slot))
    default: .null
    }
  }
}
