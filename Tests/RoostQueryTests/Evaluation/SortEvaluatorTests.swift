// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// One order in every store: nil first, strings by bytes, keys last (B124).
@Suite struct SortEvaluatorTests {
  private static func people() throws -> TestRows {
    let company = Company()
    let rows = TestRows(company)
    try rows.add(9, nil, ["name": "b", "age": 2, "height": 1.5, "salary": .decimal(10)])
    try rows.add(2, nil, ["name": "B", "age": 1, "height": -1.0, "active": true])
    try rows.add(7)
    try rows.add(4, nil, ["name": "a10", "age": 2, "active": false, "salary": .decimal(9)])
    try rows.add(1, nil, ["name": "a9", "age": 2, "height": 1e300])
    try rows.add(3)
    try rows.add(10, company.department, ["name": "x"])
    rows.link("department", 4, 10)
    rows.link("boss", 9, 2)
    return rows
  }

  private func sorted(_ rows: TestRows, _ steps: SortOrdering...) throws -> [Int64] {
    let resolved = try rows.company.resolver.sort(steps, of: rows.company.person)
    let people = rows.rows.filter { $0.layout.entity === rows.company.person }
    return try SortEvaluator(resolved, source: rows).sorted(people).map(\.key)
  }

  @Test("nil comes first when ascending and last when descending, keys break ties upwards (B124)")
  func nilAndTies() throws {
    let rows = try Self.people()
    #expect(try sorted(rows) == [1, 2, 3, 4, 7, 9])
    #expect(try sorted(rows, SortOrdering("age")) == [3, 7, 2, 1, 4, 9])
    #expect(try sorted(rows, SortOrdering("age", ascending: false)) == [1, 4, 9, 2, 3, 7])
    #expect(try sorted(rows, SortOrdering("height")) == [3, 4, 7, 2, 9, 1])
    #expect(try sorted(rows, SortOrdering("active"), SortOrdering("name")) == [3, 7, 1, 9, 4, 2])
    #expect(try sorted(rows, SortOrdering("salary", ascending: false)) == [9, 4, 1, 2, 3, 7])
    #expect(
      try sorted(rows, SortOrdering("age"), SortOrdering("height", ascending: false)) == [
        3, 7, 2, 1, 9, 4,
      ])
  }

  @Test("strings by bytes unless the order says otherwise")
  func strings() throws {
    let rows = try Self.people()
    #expect(try sorted(rows, SortOrdering("name")) == [3, 7, 2, 4, 1, 9])
    #expect(
      try sorted(rows, SortOrdering("name", comparator: .caseInsensitive)) == [3, 7, 4, 1, 2, 9])
    #expect(
      try sorted(rows, SortOrdering("name", comparator: .localizedStandard)).prefix(4) == [
        3, 7, 1, 4,
      ])
    #expect(
      try Set(sorted(rows, SortOrdering("name", comparator: .localized))) == [1, 2, 3, 4, 7, 9])
  }

  @Test("along to-one relationships, and by identity")
  func paths() throws {
    let rows = try Self.people()
    #expect(
      try sorted(rows, SortOrdering("department.name", ascending: false)) == [4, 1, 2, 3, 7, 9])
    #expect(try sorted(rows, SortOrdering("boss.name")) == [1, 2, 3, 4, 7, 9])
    #expect(try sorted(rows, SortOrdering("objectID", ascending: false)) == [9, 7, 4, 3, 2, 1])
  }

  @Test("two items are ordered as many are")
  func pairs() throws {
    let rows = try Self.people()
    let people = rows.rows.filter { $0.layout.entity === rows.company.person }
    for steps in [
      [], [SortOrdering("age")], [SortOrdering("name", ascending: false), SortOrdering("age")],
      [SortOrdering("name", comparator: .caseInsensitive)],
    ] {
      let resolved = try rows.company.resolver.sort(steps, of: rows.company.person)
      let sorter = try SortEvaluator(resolved, source: rows)
      let sorted = try sorter.sorted(people)
      for (left, right) in zip(sorted, sorted.dropFirst()) {
        #expect(try sorter.isOrderedBefore(left, right))
        #expect(try !sorter.isOrderedBefore(right, left))
      }
    }
  }

  @Test(
    "what has no order is refused",
    arguments: [
      ("friends.age", PersistenceError.Code.invalidRequest), ("department", .invalidRequest),
      ("pet", .invalidRequest),
      ("friends.@count", .invalidRequest), ("nme", .unknownKey), ("", .unknownKey),
      ("department.nme", .unknownKey),
      ("address", .invalidRequest), ("mood", .invalidRequest),
    ])
  func refused(_ key: String, _ code: PersistenceError.Code) throws {
    let company = Company()
    #expect(
      thrownCode { try company.resolver.sort([SortOrdering(key)], of: company.person) } == code)
  }
}
