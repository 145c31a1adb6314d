// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// A request for columns was resolved to another kind of result.
private struct NoColumns: Error {}

/// Dictionary fetches: columns, groups, aggregates, distinct tuples (B131 to B135).
@Suite struct ColumnEvaluatorTests {
  private static func people() throws -> TestRows {
    let company = Company()
    let rows = TestRows(company)
    try rows.add(1, nil, ["name": "a", "age": 10, "height": 1.5, "address.city": "Rome"])
    try rows.add(2, nil, ["name": "b", "age": 20, "height": 2.5, "address.city": "Oslo"])
    try rows.add(3, nil, ["name": "a", "age": 30, "address.city": "Rome", "address.zip": 5])
    try rows.add(4, nil, ["age": 10])
    try rows.add(5)
    try rows.add(10, company.department, ["name": "Research"])
    rows.link("department", 1, 10)
    rows.link("department", 3, 10)
    rows.link("friends", 1, [2, 3])
    return rows
  }

  private func fetch(
    _ rows: TestRows, _ change: (FetchRequest<[String: Value]>) throws -> Void
  ) throws -> [[Value]] {
    let company = rows.company
    let request = FetchRequest<[String: Value]>(entity: company.person)
    try change(request)
    let resolved = try company.resolver.resolve(request)
    guard case .columns(let columns) = resolved.result else { throw NoColumns() }
    var people = rows.rows.filter { $0.layout.entity.isKindOf(entity: company.person) }
    if let predicate = resolved.predicate {
      let evaluator = try PredicateEvaluator(predicate, source: rows)
      people = try people.filter { try evaluator.matches($0) }
    }
    let sorted = try SortEvaluator(resolved.sort, source: rows).sorted(people)
    let values = try ColumnEvaluator(columns, source: rows).tuples(sorted)
    let width = columns.columns.count
    return stride(from: 0, to: values.count, by: width).map { Array(values[$0..<$0 + width]) }
  }

  private func column(_ name: String, _ format: String, _ type: AttributeType = .undefined) throws
    -> ExpressionDescription
  {
    ExpressionDescription(
      name: name, expression: try FetchExpression(format: format), resultType: type)
  }

  @Test("attributes, key paths, to-one relationships as IDs, and expressions (B131)")
  func plain() throws {
    let rows = try Self.people()
    let tuples = try fetch(rows) {
      $0.propertiesToFetch = [
        "name", "department.name", "department", try column("twice", "age * 2"),
        try column("friends", "friends.@count"),
      ]
      $0.predicate = try FetchPredicate("age != nil")
    }
    let research = Value.objectID(rows.company.id(10, rows.company.department))
    #expect(
      tuples == [
        ["a", "Research", research, 20, 2], ["b", nil, nil, 40, 0],
        ["a", "Research", research, 60, 0], [nil, nil, nil, 20, 0],
      ])
  }

  @Test("a group's columns and condition are made of keys, aggregates and constants alone (B134)")
  func mixedGroups() throws {
    let rows = try Self.people()
    let mixed = [
      "age + max:(age)", "TERNARY(age > 5, count:(SELF), 0)",
      "max:(age) + friends.@count", "count:(friends) + max:(age)",
    ]
    for format in mixed {
      let columns = [try column("x", format, .integer64)]
      #expect(
        thrownCode { try fetch(rows) { $0.propertiesToFetch = columns } } == .invalidRequest,
        "\(format)")
      let code = thrownCode {
        try fetch(rows) {
          $0.propertiesToFetch = ["name"]
          $0.propertiesToGroupBy = ["name"]
          $0.havingPredicate = try FetchPredicate(format: format + " > 3", argumentArray: [])
        }
      }
      #expect(code == .invalidRequest, "\(format)")
    }
    let ungrouped = thrownCode {
      try fetch(rows) {
        $0.propertiesToFetch = ["name"]
        $0.propertiesToGroupBy = ["name"]
        $0.havingPredicate = try FetchPredicate("age > 5")
      }
    }
    #expect(ungrouped == .invalidRequest)
    let sums = try fetch(rows) {
      $0.propertiesToFetch = [
        "age", try column("more", "age + max:(height)"), try column("most", "max:(height)"),
      ]
      $0.propertiesToGroupBy = ["age"]
      $0.havingPredicate = try FetchPredicate("most > 1 AND age < 15")
    }
    #expect(sums == [[10, 11.5, 1.5]])
  }

  @Test("without properties all stored attributes are fetched, composites by their elements (B311)")
  func allAttributes() throws {
    let company = Company()
    let request = FetchRequest<[String: Value]>(entity: company.department)
    let resolved = try company.resolver.resolve(request)
    guard case .columns(let columns) = resolved.result else { throw NoColumns() }
    #expect(columns.columns.map(\.name) == ["name"])
    let people = try company.resolver.resolve(FetchRequest<[String: Value]>(entity: company.person))
    guard case .columns(let all) = people.result else { throw NoColumns() }
    #expect(
      all.columns.map(\.name) == [
        "name", "age", "height", "salary", "active", "born", "code", "photo", "home", "pet",
        "weight", "address.city", "address.zip",
      ])
    #expect(all.columns[1].type == .integer32)
    #expect(all.columns[11].type == .string)
  }

  @Test("groups: aggregates leave nil out, and nil is a group of its own (B134)")
  func groups() throws {
    let rows = try Self.people()
    let tuples = try fetch(rows) {
      $0.propertiesToFetch = [
        "name", try column("n", "count:(SELF)"), try column("ages", "count(age)"),
        try column("sum", "sum(age)"), try column("avg", "average(age)"),
        try column("min", "min(height)"), try column("max", "max(address.city)"),
      ]
      $0.propertiesToGroupBy = ["name"]
      $0.sortDescriptors = [SortOrdering("name", ascending: false)]
    }
    #expect(
      tuples == [
        ["b", 1, 1, 20, 20.0, 2.5, "Oslo"], ["a", 2, 2, 40, 20.0, 1.5, "Rome"],
        [nil, 2, 1, 10, 10.0, nil, nil],
      ])
  }

  @Test("without an order a group stands where its first row does")
  func groupOrder() throws {
    let rows = try Self.people()
    let tuples = try fetch(rows) {
      $0.propertiesToFetch = ["age", try column("n", "count:(SELF)")]
      $0.propertiesToGroupBy = ["age"]
    }
    #expect(tuples == [[10, 2], [20, 1], [30, 1], [nil, 1]])
  }

  @Test("a condition on groups sees aggregates, grouped properties and the names of columns (B134)")
  func having() throws {
    let rows = try Self.people()
    for format in [
      "sum(age) > 15 AND name != nil", "$total > 15 AND name != nil", "total > 15 AND name != nil",
      "count:(SELF) * 10 == 20 AND max(age) == 30 OR name == 'b'",
    ] {
      let tuples = try fetch(rows) {
        $0.propertiesToFetch = ["name", try column("total", "sum(age)")]
        $0.propertiesToGroupBy = ["name"]
        $0.havingPredicate = try FetchPredicate(format)
      }
      #expect(tuples == [["a", 40], ["b", 20]], "\(format)")
    }
  }

  @Test("aggregates without groups make one tuple, of no rows too")
  func oneGroup() throws {
    let rows = try Self.people()
    func tuples(_ format: String) throws -> [[Value]] {
      try fetch(rows) {
        $0.propertiesToFetch = [
          try column("n", "count:(SELF)"), try column("sum", "sum(age)"),
          try column("avg", "average(age)"), try column("min", "min(age)"),
          try column("sum2", "sum(height)"), try column("both", "max(age) - min(age)"),
          try column("one", "%d".replacing("%d", with: "1")),
        ]
        $0.predicate = try FetchPredicate(format)
      }
    }
    #expect(try tuples("TRUEPREDICATE") == [[5, 70, 17.5, 10, 4.0, 20, 1]])
    #expect(try tuples("age > 1000") == [[0, 0, nil, nil, 0, nil, 1]])
    let grouped = try fetch(rows) {
      $0.propertiesToFetch = ["name", try column("n", "count:(SELF)")]
      $0.propertiesToGroupBy = ["name"]
      $0.predicate = try FetchPredicate("age > 1000")
    }
    #expect(grouped == [])
  }

  @Test("@-operators over the rows are aggregates, as Core Data programs write them")
  func operators() throws {
    let rows = try Self.people()
    let tuples = try fetch(rows) {
      $0.propertiesToFetch = [
        try column("n", "@count"), try column("sum", "@sum.age"), try column("max", "age.@max"),
        try column("city", "@min.address.city"),
      ]
    }
    #expect(tuples == [[5, 70, 30, "Oslo"]])
  }

  @Test("median, mode and deviation")
  func statistics() throws {
    let rows = try Self.people()
    let tuples = try fetch(rows) {
      $0.propertiesToFetch = [
        try column("median", "median(age)"), try column("mode", "mode(age)"),
        try column("deviation", "stddev(height)"),
      ]
    }
    #expect(tuples == [[15.0, 10, 0.5]])
  }

  @Test("equal tuples are returned once when asked for, where the first one stands (B135)")
  func distinct() throws {
    let rows = try Self.people()
    let tuples = try fetch(rows) {
      $0.propertiesToFetch = ["name", "address.city"]
      $0.returnsDistinctResults = true
    }
    #expect(tuples == [["a", "Rome"], ["b", "Oslo"], [nil, nil]])
    let sorted = try fetch(rows) {
      $0.propertiesToFetch = ["name"]
      $0.returnsDistinctResults = true
      $0.sortDescriptors = [SortOrdering("age", ascending: false)]
    }
    #expect(sorted == [["a"], ["b"], [nil]])
  }

  @Test("a sum of integers beyond its type is an error")
  func overflow() throws {
    let company = Company()
    let rows = TestRows(company)
    try rows.add(1, company.manager, ["budget": .integer(.max)])
    try rows.add(2, company.manager, ["budget": .integer(1)])
    #expect(
      thrownCode {
        try fetch(rows) { $0.propertiesToFetch = [try column("sum", "sum(budget)")] }
      } == .arithmeticOverflow)
  }

  static let refused:
    [(String, PersistenceError.Code, @Sendable (FetchRequest<[String: Value]>) throws -> Void)] = [
      ("to-many column", .invalidRequest, { $0.propertiesToFetch = ["friends"] }),
      ("to-many key path", .invalidRequest, { $0.propertiesToFetch = ["friends.name"] }),
      ("unknown column", .unknownKey, { $0.propertiesToFetch = ["nme"] }),
      ("no column", .invalidRequest, { $0.propertiesToFetch = [] }),
      ("transient column", .invalidRequest, { $0.propertiesToFetch = ["mood"] }),
      (
        "column that is neither grouped nor aggregate", .invalidRequest,
        {
          $0.propertiesToFetch = ["name", "age"]; $0.propertiesToGroupBy = ["name"]
        }
      ),
      (
        "column beside an aggregate", .invalidRequest,
        {
          $0.propertiesToFetch = [
            "name",
            ExpressionDescription(
              name: "n", expression: try FetchExpression(format: "count:(SELF)")),
          ]
        }
      ),
      (
        "condition on groups without groups", .invalidRequest,
        {
          $0.propertiesToFetch = ["name"]; $0.havingPredicate = try FetchPredicate("name == 'x'")
        }
      ),
      (
        "order by what is not grouped", .invalidRequest,
        {
          $0.propertiesToFetch = ["name"]; $0.propertiesToGroupBy = ["name"];
          $0.sortDescriptors = [SortOrdering("age")]
        }
      ),
      (
        "groups by an aggregate", .invalidRequest,
        {
          $0.propertiesToFetch = ["name"];
          $0.propertiesToGroupBy = [
            ExpressionDescription(name: "n", expression: try FetchExpression(format: "sum(age)"))
          ]
        }
      ),
      (
        "groups by a to-many", .invalidRequest,
        {
          $0.propertiesToFetch = ["name"]; $0.propertiesToGroupBy = ["friends.name"]
        }
      ),
      (
        "column without expression", .invalidRequest,
        { $0.propertiesToFetch = [ExpressionDescription(name: "n")] }
      ),
      (
        "foreign description", .unknownKey,
        { $0.propertiesToFetch = [AttributeDescription(name: "name", type: .string)] }
      ),
      (
        "aggregate of an aggregate", .invalidRequest,
        {
          $0.propertiesToFetch = [
            ExpressionDescription(
              name: "n", expression: try FetchExpression(format: "sum(max(age))"))
          ]
        }
      ),
      (
        "sum of strings", .invalidValue,
        {
          $0.propertiesToFetch = [
            ExpressionDescription(name: "n", expression: try FetchExpression(format: "sum(name)"))
          ]
        }
      ),
    ]

  @Test("columns that mean nothing are refused (B131, B134)", arguments: refused.indices)
  func refusal(_ index: Int) throws {
    let (name, code, change) = Self.refused[index]
    let company = Company()
    let request = FetchRequest<[String: Value]>(entity: company.person)
    try change(request)
    #expect(
      thrownCode { try ColumnEvaluator(columns(request, company), source: TestRows(company)) }
        == code, "\(name)")
  }

  private func columns(_ request: FetchRequest<[String: Value]>, _ company: Company) throws
    -> ResolvedColumns
  {
    guard case .columns(let columns) = try company.resolver.resolve(request).result else {
      return ResolvedColumns(columns: [])
    }
    return columns
  }
}
