// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests that the typed operators give the same trees as format strings.
@Suite struct TypedQueryTests {
  private func expect(
    _ format: String, _ arguments: Any?..., location: SourceLocation = #_sourceLocation,
    _ condition: (QueryObject<TypedPerson>) -> FetchPredicate
  ) throws {
    let typed = FetchPredicate(TypedPerson.self, condition)
    let parsed = try FetchPredicate(format: format, argumentArray: arguments)
    #expect(typed == parsed, "\(typed)", sourceLocation: location)
    // IDs cannot be written in a format.
    guard arguments.isEmpty else { return }
    #expect(try FetchPredicate(typed.predicateFormat) == typed, sourceLocation: location)
  }

  @Test("comparisons with values")
  func comparisons() throws {
    try expect("age >= 18 AND name BEGINSWITH 'A'") { $0.age >= 18 && $0.name.hasPrefix("A") }
    try expect("age == 1 OR age != 2 OR age < 3") { $0.age == 1 || $0.age != 2 || $0.age < 3 }
    try expect("NOT age > 3") { !($0.age > 3) }
    try expect("age <= 3") { $0.age <= 3 }
    try expect("nickname == nil") { $0.nickname == nil }
    try expect("nickname != 'x'") { $0.nickname != "x" }
    try expect("active == YES") { $0.active == true }
    try expect("NOT active == YES") { !$0.active }
    try expect("height > 1.5") { $0.height > 1.5 }
    let date = Date(timeIntervalSinceReferenceDate: 5)
    try expect("born < CAST(5, 'NSDate')") { $0.born < date }
  }

  @Test("lists and ranges")
  func lists() throws {
    try expect("age IN {1, 2}") { $0.age.in([1, 2]) }
    try expect("name IN {'a', 'b'}") { $0.name.in(["a", "b"]) }
    try expect("nickname IN {'a', nil}") { $0.nickname.in(["a", nil]) }
    try expect("age BETWEEN {1, 5}") { $0.age.between(1, 5) }
    try expect("age BETWEEN {1, 5}") { 1...5 ~= $0.age }
    try expect("age >= 1 AND age < 5") { $0.age.in(1..<5) }
  }

  @Test("values of a type with a raw value are compared by it")
  func rawValues() throws {
    try expect("grade == 'A' AND grade != 'B'") { $0.grade == .first && $0.grade != .second }
    try expect("formerGrade == 'B'") { $0.formerGrade == .second }
    try expect("boss.grade IN {'A', 'B'}") { $0.boss.grade.in([.first, .second]) }
    try expect("grade < boss.grade") { $0.grade.rawValue < $0.boss.grade.rawValue }
  }

  @Test("text")
  func text() throws {
    try expect("name ENDSWITH[c] 'x'") { $0.name.hasSuffix("x", .caseInsensitive) }
    try expect("nickname CONTAINS[cd] 'x'") {
      $0.nickname.contains("x", [.caseInsensitive, .diacriticInsensitive])
    }
    try expect("name LIKE 'a*'") { $0.name.like("a*") }
    try expect("name MATCHES 'a+'") { $0.name.matches("a+") }
    try expect("name ==[c] 'x'") { $0.name.equals("x", .caseInsensitive) }
    try expect("length(name) > 3") { $0.name.length > 3 }
    try expect("uppercase(name) == 'A'") { $0.name.uppercased() == "A" }
    try expect("name == ''") { $0.name.isEmpty }
  }

  @Test("arithmetic and other fields")
  func arithmetic() throws {
    try expect("age * 2 + 1 > 7") { $0.age * 2 + 1 > 7 }
    try expect("age > boss.age") { $0.age > $0.boss.age }
    try expect("height == age") { $0.height == $0.age }
    try expect("modulus:by:(age, 2) == 0") { $0.age % 2 == 0 }
  }

  @Test("objects, IDs and nil stand for one another (B142, B143)")
  func objects() throws {
    let id = Company().id(4097)
    let object = TypedDepartment(Recorded.Note(), objectID: id)
    try expect("department == %@", id) { $0.department == object }
    try expect("department == %@", object) { $0.department == id }
    try expect("department != nil") { $0.department != nil }
    try expect("SELF == %@", id) { $0 == id }
    try expect("SELF IN %@", [id]) { $0.in([id]) }
    try expect("boss == boss.boss") { $0.boss == $0.boss.boss }
    try expect("department.name == 'x'") { $0.department.name == "x" }
    try expect("ANY friends == %@", id) { $0.friends.contains(id) }
  }

  @Test("to-many relationships")
  func collections() throws {
    try expect("SUBQUERY(friends, $x0, $x0.age > 3).@count > 0") { $0.friends.any { $0.age > 3 } }
    try expect("SUBQUERY(friends, $x0, NOT $x0.age > 3).@count == 0") {
      $0.friends.all { $0.age > 3 }
    }
    try expect("SUBQUERY(reports, $x0, $x0.age > 3).@count == 0") { $0.reports.none { $0.age > 3 } }
    try expect("friends.@count > 2") { $0.friends.count > 2 }
    try expect("friends.@count == 0") { $0.friends.isEmpty }
    try expect("friends.@sum.age > 2") { $0.friends.sum(\.age) > 2 }
    try expect("department.people.@max.height > 2") { $0.department.people.max(\.height) > 2 }
    try expect(
      "SUBQUERY(friends, $x0, SUBQUERY($x0.friends, $x1, $x1.age > $x0.age).@count > 0).@count > 0"
    ) { $0.friends.any { friend in friend.friends.any { $0.age > friend.age } } }
  }

  @Test("requests are sentences, and keep what was said before")
  func requests() throws {
    let request = FetchRequest<TypedPerson>(entityName: "Person")
      .where { $0.age > 3 }.where { $0.active == true }
      .sorted(by: \.department?.name).sorted(by: \.age, ascending: false)
      .prefetching(\.boss, \.department?.people).limit(5).offset(2)
    #expect(request.predicate?.predicateFormat == "age > 3 AND active == 1")
    #expect(
      request.sortDescriptors == [
        SortOrdering("department.name"), SortOrdering("age", ascending: false),
      ])
    #expect(request.relationshipKeyPathsForPrefetching == ["boss", "department.people"])
    #expect(request.fetchLimit == 5)
    #expect(request.fetchOffset == 2)
  }
}
