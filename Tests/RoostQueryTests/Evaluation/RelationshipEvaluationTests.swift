// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests of conditions that need other rows: paths, quantifiers, subqueries, aggregates, identities.
@Suite struct RelationshipEvaluationTests {
  /// Four people and a manager: 1 (40) leads 2 (20) and 3 (30); 4 is alone and ageless; 5 is a manager (50) with
  /// friends 2, 3 and 4; 1 has the friend 5. Department 10 has 1 and 2, department 11 is empty.
  private static func people() throws -> TestRows {
    let company = Company()
    let rows = TestRows(company)
    try rows.add(1, nil, ["name": "Ada", "age": 40])
    try rows.add(2, nil, ["name": "Bob", "age": 20])
    try rows.add(3, nil, ["name": "Cyd", "age": 30])
    try rows.add(4)
    try rows.add(5, company.manager, ["name": "Eve", "age": 50, "budget": 7, "rank": 2])
    try rows.add(10, company.department, ["name": "Research"])
    try rows.add(11, company.department, ["name": "Sales"])
    rows.link("boss", 2, 1)
    rows.link("boss", 3, 1)
    rows.link("boss", 1, 5)
    rows.link("reports", 1, [2, 3])
    rows.link("reports", 5, [1])
    rows.link("department", 1, 10)
    rows.link("department", 2, 10)
    rows.link("people", 10, [1, 2])
    rows.link("friends", 5, [2, 3, 4])
    rows.link("friends", 1, [5])
    return rows
  }

  static let table: [(String, [Int64])] = [
    // Paths.
    ("boss.name == 'Ada'", [2, 3]), ("boss.boss.name == 'Eve'", [2, 3]),
    ("boss.age > age", [1, 2, 3]),
    ("boss.department.name == 'Research'", [2, 3]), ("department.name != 'Research'", [3, 4, 5]),
    ("department == nil", [3, 4, 5]), ("NOT department == nil", [1, 2]),
    ("boss.boss == nil", [1, 4, 5]),
    ("boss == boss.boss", [4, 5]), ("department == boss.department", [2, 4, 5]),
    ("SELF == boss", []),
    // Subentities: an attribute that others do not have is nil for them.
    ("budget > 5", [5]), ("budget == nil", [1, 2, 3, 4]), ("boss.budget == 7", [1]),
    ("boss.budget != 7", [2, 3, 4, 5]),
    ("entity == 'Manager'", [5]), ("entity != 'Manager'", [1, 2, 3, 4]),
    ("boss.entity == 'Manager'", [1]),
    ("boss.entity != 'Manager'", [2, 3, 4, 5]), ("entity IN {'Manager', 'Robot'}", [5]),
    ("entity == 'Manager' AND rank == 2", [5]), ("ANY friends.entity == 'Manager'", [1]),
    // Quantifiers.
    ("ANY reports.age == 20", [1]), ("ANY reports.age > 10", [1, 5]),
    ("ALL reports.age > 25", [2, 3, 4, 5]),
    ("ALL reports.age > 10 AND reports.@count > 0", [1, 5]),
    ("NONE reports.age == 20", [2, 3, 4, 5]),
    ("ANY friends.age == nil", [5]), ("ANY friends.age != 20", [1, 5]),
    ("ALL friends.age != 20", [1, 2, 3, 4]),
    ("NOT ANY friends.age < 25", [1, 2, 3, 4]), ("ANY friends.age IN {nil}", [5]),
    ("ALL friends.age >= 20", [1, 2, 3, 4]),
    ("ANY friends.boss == nil", [1, 5]), ("ANY friends.boss.name == 'Ada'", [5]),
    ("ANY friends.boss.name == nil", [1, 5]),
    ("ANY friends.friends.age == 30", [1]), ("ANY reports.reports.age == 20", [5]),
    ("ANY department.people.age == 20", [1, 2]),
    ("ALL department.people.age > 10", [1, 2, 3, 4, 5]), ("ANY friends.name BEGINSWITH 'B'", [5]),
    ("ANY friends.age > age", [1]), ("ALL friends.age < age", [2, 3, 4]),
    ("ALL friends.age < age AND friends.@count > 0", []),
    ("20 IN reports.age", [1]), ("ALL {20, 30} IN reports.age", [1]),
    ("ANY {20, 40} IN reports.age", [1, 5]),
    ("reports.name CONTAINS 'Bob'", [1]), ("boss IN friends", [1]), ("friends CONTAINS boss", [1]),
    ("ANY friends == boss", [1]), ("ANY reports == nil", []), ("ANY reports != nil", [1, 5]),
    ("ALL reports == nil", [2, 3, 4]),
    // Aggregates: nil is left out.
    ("friends.@count == 3", [5]), ("reports.@count == 0", [2, 3, 4]),
    ("reports.@sum.age == 50", [1]), ("friends.@sum.age == 50", [1, 5]),
    ("reports.@sum.age == 0", [2, 3, 4]), ("reports.@avg.age == 25", [1]),
    ("friends.@avg.age == 25", [5]), ("reports.@avg.age == nil", [2, 3, 4]),
    ("reports.@min.age == 20", [1]), ("reports.@max.name == 'Cyd'", [1]),
    ("reports.@max.age == nil", [2, 3, 4]),
    ("friends.age.@count == 2", [5]), ("friends.boss.@count == 2", [5]),
    ("friends.@max.age > reports.@max.age", [1]),
    ("reports.@count + friends.@count == 3", [1]), ("median(friends.age) == 25", [5]),
    ("stddev(reports.age) == 5", [1]),
    ("mode(friends.age) == 20", [5]),
    // Subqueries.
    ("SUBQUERY(reports, $x, $x.age > 25).@count == 1", [1, 5]),
    ("SUBQUERY(reports, $x, $x.age > 5).@count > 0", [1, 5]),
    ("SUBQUERY(reports, $x, $x.age > 5).@count == 0", [2, 3, 4]),
    ("SUBQUERY(reports, $x, TRUEPREDICATE).@count >= 2", [1]),
    ("SUBQUERY(reports, $x, $x.age > 5).@count != 1", [1, 2, 3, 4]),
    ("SUBQUERY(reports, $x, $x.age > 5).@count < 2", [2, 3, 4, 5]),
    ("SUBQUERY(reports, $x, $x.age > 5).@count == reports.@count", [1, 2, 3, 4, 5]),
    ("SUBQUERY(friends, $x, $x.age > age).@count == 1", [1]),
    ("SUBQUERY(friends, $x, $x.boss.boss == SELF).@count == 2", [5]),
    (
      "SUBQUERY(friends, $x, SUBQUERY($x.friends, $y, $y.age < $x.age AND $y.age > 20).@count == 1).@count == 1",
      [1]
    ),
    ("SUBQUERY(friends, $x, ANY $x.friends.age == 20).@count == 1", [1]),
    ("SUBQUERY(friends, $x, $x.budget == 7).@count == 1", [1]),
    ("SUBQUERY(friends, $x, $x.entity == 'Manager').@count == 1", [1]),
    ("SUBQUERY(friends, $x, $x.age == nil).@count == 1", [5]),
    ("SUBQUERY(boss.reports, $x, $x != SELF).@count == 1", [2, 3]),
    ("SUBQUERY(friends, $x, $x IN reports).@count > 0", []),
  ]

  @Test("conditions through relationships (B142, B144, B304)", arguments: table)
  func relationships(_ format: String, _ expected: [Int64]) throws {
    #expect(try Self.people().keys(format) == expected)
  }

  @Test("an object, its ID and collections of these name the same record (B30, B143)")
  func identities() throws {
    let rows = try Self.people()
    let company = rows.company
    let ada = TypedPerson(Recorded.Note(), objectID: company.id(1))
    #expect(try rows.keys("boss == %@", company.id(1)) == [2, 3])
    #expect(try rows.keys("boss == %@", ada) == [2, 3])
    #expect(try rows.keys("boss != %@", ada) == [1, 4, 5])
    #expect(try rows.keys("boss IN %@", [company.id(1), company.id(5)]) == [1, 2, 3])
    #expect(try rows.keys("boss IN %@", Set([ada])) == [2, 3])
    #expect(try rows.keys("boss IN {%@, nil}", ada) == [2, 3, 4, 5])
    #expect(try rows.keys("SELF == %@", ada) == [1])
    #expect(try rows.keys("SELF != %@", ada) == [2, 3, 4, 5])
    #expect(try rows.keys("SELF IN %@", [company.id(2), company.id(4)]) == [2, 4])
    #expect(try rows.keys("NOT SELF IN %@", [company.id(2), company.id(4)]) == [1, 3, 5])
    #expect(try rows.keys("self.objectID == %@", company.id(3)) == [3])
    #expect(try rows.keys("ANY friends == %@", company.id(3)) == [5])
    #expect(try rows.keys("friends CONTAINS %@", company.id(3)) == [5])
    #expect(try rows.keys("%@ IN friends", company.id(3)) == [5])
    #expect(try rows.keys("NONE friends == %@", company.id(3)) == [1, 2, 3, 4])
    #expect(try rows.keys("ALL %@ IN friends", [company.id(2), company.id(3)]) == [5])
    #expect(try rows.keys("SUBQUERY(friends, $x, $x == %@).@count > 0", company.id(3)) == [5])
    #expect(
      try rows.keys("people.@count == 2 AND ANY people == %@", ada, of: company.department) == [10])
  }

  @Test("an unsaved object and one of another store match nothing, not even by accident (B29)")
  func strangers() throws {
    let rows = try Self.people()
    let company = rows.company
    let unsaved = IDScope.makeTemporaryID(for: company.person)
    let other = ObjectID(
      scope: IDScope(
        entity: company.person,
        store: StoreIdentity(identifier: "5D1F2B0C-0002-4000-8000-000000000002", type: "test")),
      key: 1)
    for id in [unsaved, other] {
      #expect(try rows.keys("boss == %@", id) == [])
      #expect(try rows.keys("boss != %@", id) == [1, 2, 3, 4, 5])
      #expect(try rows.keys("SELF IN %@", [id]) == [])
      #expect(try rows.keys("ANY friends == %@", id) == [])
    }
  }

  @Test("an object that was saved meanwhile is found under its new ID (B24)")
  func savedMeanwhile() throws {
    let rows = try Self.people()
    let temporary = IDScope.makeTemporaryID(for: rows.company.person)
    temporary.becamePermanent(rows.company.id(1))
    #expect(try rows.keys("boss == %@", temporary) == [2, 3])
  }

  @Test("a to-one relationship is compared without a look at its destination (B143)")
  func noReads() throws {
    let rows = try Self.people()
    _ = try rows.keys("boss == %@ OR boss == nil OR department != nil", rows.company.id(1))
    #expect(rows.destinationReads == 0)
  }

  @Test("what is cheap is judged before what follows a relationship")
  func order() throws {
    let rows = try Self.people()
    #expect(try rows.keys("ANY friends.age > 5 AND age == 50") == [5])
    #expect(rows.destinationReads == 1)
  }

  @Test("a condition on own attributes can be judged by a row's memory alone")
  func rowTests() throws {
    let rows = try Self.people()
    let own = try rows.company.resolved("age > 25 AND (name BEGINSWITH 'A' OR NOT age < 35)")
    let test = try #require(try PredicateEvaluator(own, source: rows).rowTest)
    #expect(rows.rows.prefix(5).filter { test($0.base) }.map(\.key) == [1, 5])
    let other = try rows.company.resolved("age > 25 AND boss.age > 5")
    #expect(try PredicateEvaluator(other, source: rows).rowTest == nil)
  }

  @Test("a sum beyond its type is an error, not another number")
  func overflow() throws {
    let company = Company()
    let rows = TestRows(company)
    try rows.add(1)
    try rows.add(2, company.manager, ["budget": .integer(.max)])
    try rows.add(3, company.manager, ["budget": .integer(.max)])
    try rows.add(4, company.manager, ["budget": .integer(-1)])
    rows.link("friends", 1, [2, 3])
    #expect(thrownCode { try rows.keys("friends.@sum.budget > 0") } == .arithmeticOverflow)
    rows.link("friends", 1, [2, 4, 4])
    #expect(try rows.keys("friends.@sum.budget == 9223372036854775805") == [1])
  }
}
