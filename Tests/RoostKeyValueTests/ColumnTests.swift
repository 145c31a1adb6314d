// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of columns, groups and aggregates that the store computes.
@Suite struct ColumnTests {
  let company: Company
  let population: Population

  init() throws {
    company = try Company()
    population = try Population(company, seed: 21)
    try population.addDepartments(6)
    try population.addPeople(200)
  }

  func column(
    _ name: String, _ function: FetchFunction? = nil, type: AttributeType = .integer64
  ) -> ResolvedColumns.Column {
    let value = ResolvedExpression.path(company.path(name))
    return ResolvedColumns.Column(
      name: name, expression: function.map { .function($0, [value]) } ?? value,
      isAggregate: function != nil, type: type)
  }

  func tuples(_ request: ResolvedFetch) throws -> [[Value]] {
    guard case .tuples(let values, let width) = try population.store.fetch(request).content else {
      Issue.record("The answer has another form.")
      return []
    }
    return stride(from: 0, to: values.count, by: width).map { Array(values[$0..<$0 + width]) }
  }

  /// Returns the result of the shared evaluator, from all rows.
  func reference(_ request: ResolvedFetch, _ columns: ResolvedColumns) throws -> [[Value]] {
    var all = request
    all.result = .rows
    all.limit = nil
    all.offset = 0
    guard case .rows(let rows) = try population.store.fetch(all).content else {
      Issue.record("The answer has another form.")
      return []
    }
    let values = try population.store.engine.reading { snapshot in
      let source = SnapshotSource(schema: try population.store.preparedSchema(), snapshot: snapshot)
      return try ColumnEvaluator(columns, source: source).tuples(rows)
    }
    let width = columns.columns.count
    let tuples = stride(from: 0, to: values.count, by: width).map {
      Array(values[$0..<$0 + width])
    }
    let rest = Array(tuples.dropFirst(request.offset))
    return request.limit.map { Array(rest.prefix($0)) } ?? rest
  }

  @Test("values, groups by a number, by an object and by several keys (B131, B134)")
  func groups() throws {
    let department = ResolvedExpression.path(company.path("department"))
    let age = ResolvedExpression.path(company.path("age"))
    let name = ResolvedExpression.path(company.path("name"))
    let aggregates = [
      column("score", .count), column("age", .sum), column("age", .maximum),
      column("score", .minimum, type: .double),
    ]
    let all = [
      ResolvedColumns(columns: [column("name"), column("department"), column("age")]),
      ResolvedColumns(columns: [column("active")], distinct: true),
      ResolvedColumns(columns: aggregates),
      ResolvedColumns(columns: [column("age")] + aggregates, groupBy: [age]),
      ResolvedColumns(columns: [column("department")] + aggregates, groupBy: [department]),
      ResolvedColumns(
        columns: [column("name"), column("age"), column("department")] + aggregates,
        groupBy: [name, age, department]),
    ]
    for columns in all {
      for predicate in [nil, company.compare("age", .greaterThan, .integer(17))] {
        for (limit, offset) in [(nil, 0), (3, 0), (4, 2), (nil, 5)] as [(Int?, Int)] {
          let request = company.fetch(
            predicate, sort: [company.sort("score"), company.sort("name", ascending: false)],
            limit: limit, offset: offset, result: .columns(columns))
          let found = try tuples(request)
          #expect(try found == reference(request, columns))
          #expect(!found.isEmpty || offset > 0)
        }
      }
    }
  }

  @Test("a condition on groups, and no rows at all (B134)")
  func having() throws {
    let department = ResolvedExpression.path(company.path("department"))
    let count = ResolvedExpression.function(.count, [.path(company.selfPath)])
    let columns = ResolvedColumns(
      columns: [column("department"), column("age", .sum)], groupBy: [department],
      having: .comparison(
        ResolvedComparison(
          left: count, comparison: .greaterThan, right: .constant(.integer(25)))))
    let request = company.fetch(result: .columns(columns))
    let found = try tuples(request)
    let sizes = Dictionary(
      grouping: population.expected.values.filter { RecordKey.entityCode(of: $0.key) < 3 }
    ) { $0.reference(company.slot("department")) }.mapValues(\.count)
    #expect(found.count == sizes.values.count { $0 > 25 })

    let none = company.compare("age", .equalTo, .integer(123_456))
    let total = ResolvedColumns(columns: [column("age", .sum), column("age", .count)])
    #expect(
      try tuples(company.fetch(none, result: .columns(total))) == [[.integer(0), .integer(0)]])
    #expect(try tuples(company.fetch(none, result: .columns(columns))) == [])
  }

  @Test("a sum is made in the order of the keys, whichever index finds the rows (value contract)")
  func orderOfSums() throws {
    let population = try Population(company, seed: 22)
    // In key order each group of four sums up to 1; in the order of the scores rounding loses every 1.
    let scores: [Double?] = (0..<300).map { [1e16, 1, -1e16, 1][$0 % 4] }
    let rows = (scores + Array(repeating: nil, count: 900)).map { score in
      let row = Row(
        layout: company.person.layout, key: population.newKey(company.person), version: 1)
      if let score { row.setDouble(score, at: company.slot("score")) }
      return row
    }
    try population.commit(StoreChangeSet(inserted: rows))
    let columns = ResolvedColumns(columns: [column("score", .sum, type: .double)])
    let request = company.fetch(
      company.compare("score", .greaterThan, .double(-2e16)), result: .columns(columns))
    #expect(try population.store.plan(for: request).indexes == ["Person.byScore"])
    guard case .tuples(let values, _) = try population.store.fetch(request).content else {
      Issue.record("columns were asked for")
      return
    }
    #expect(values == [.double(1)])
  }

  @Test("a sum that leaves its type is an error, not a wrong number (value contract)")
  func overflow() throws {
    let rows = (1...2 as ClosedRange<Int64>).map { number in
      let row = Row(
        layout: company.person.layout, key: company.key(90_000 + number), version: 1)
      row.setInteger(.max, at: company.slot("age"))
      return row
    }
    try population.commit(StoreChangeSet(inserted: rows))
    let total = ResolvedColumns(columns: [column("age", .sum)])
    #expect(throws: PersistenceError(.arithmeticOverflow, "")) {
      try population.store.fetch(company.fetch(result: .columns(total)))
    }
  }
}
