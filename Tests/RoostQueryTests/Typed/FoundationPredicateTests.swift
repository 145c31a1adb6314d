// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests that Foundation's `#Predicate` gives the same trees as format strings.
@Suite struct FoundationPredicateTests {
  private func expect(
    _ predicate: Predicate<TypedPerson>, _ format: String, _ arguments: Any?...,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let translated = try FetchPredicate(predicate)
    let parsed = try FetchPredicate(format: format, argumentArray: arguments)
    #expect(translated == parsed, "\(translated)", sourceLocation: location)
  }

  @Test("comparisons, logic and constants")
  func comparisons() throws {
    let minAge: Int32 = 30
    let part = "nn"
    try expect(
      #Predicate { $0.age > minAge && $0.name.contains(part) }, "age > 30 AND name CONTAINS 'nn'")
    try expect(#Predicate { $0.age <= 3 || $0.age >= 5 }, "age <= 3 OR age >= 5")
    try expect(#Predicate { !$0.active }, "NOT active == 1")
    try expect(#Predicate { $0.active && $0.age != 3 }, "active == 1 AND age != 3")
    try expect(#Predicate { $0.name.starts(with: "A") }, "name BEGINSWITH 'A'")
    try expect(#Predicate { $0.name.isEmpty }, "name == ''")
    try expect(#Predicate { $0.name.count > 3 }, "length(name) > 3")
    try expect(#Predicate { _ in true }, "TRUEPREDICATE")
  }

  @Test("optionals and relationships")
  func optionals() throws {
    try expect(#Predicate { $0.boss?.name == "Bob" }, "boss.name == 'Bob'")
    try expect(
      #Predicate { $0.boss?.boss?.name == "Bob" || $0.nickname == nil },
      "boss.boss.name == 'Bob' OR nickname == nil")
    try expect(
      #Predicate { ($0.nickname ?? "z") == "z" }, "TERNARY(nickname == nil, 'z', nickname) == 'z'")
    try expect(#Predicate { $0.department!.name == "x" }, "department.name == 'x'")
    let date = Date(timeIntervalSinceReferenceDate: 5)
    try expect(
      #Predicate { $0.born ?? date < date }, "TERNARY(born == nil, %@, born) < %@", date, date)
  }

  @Test("a condition at the end of an optional chain is nil where the chain ends, as in Swift")
  func optionalConditions() throws {
    try expect(
      #Predicate { $0.nickname?.isEmpty ?? true }, "nickname == nil OR nickname == ''")
    try expect(
      #Predicate { $0.nickname?.isEmpty ?? false }, "NOT nickname == nil AND nickname == ''")
    try expect(
      #Predicate { $0.nickname?.starts(with: "A") == true },
      "NOT nickname == nil AND nickname BEGINSWITH 'A'")
    try expect(
      #Predicate { $0.nickname?.starts(with: "A") == false },
      "NOT nickname == nil AND NOT nickname BEGINSWITH 'A'")
    try expect(
      #Predicate { $0.nickname?.starts(with: "A") != true },
      "NOT (NOT nickname == nil AND nickname BEGINSWITH 'A')")
    try expect(#Predicate { $0.nickname?.isEmpty == nil }, "nickname == nil")
    try expect(#Predicate { $0.nickname?.isEmpty != nil }, "NOT nickname == nil")
    try expect(
      #Predicate { $0.nickname?.isEmpty ?? $0.active },
      "TERNARY(TERNARY(nickname == nil, nil, TERNARY(nickname == '', 1, 0)) == nil, active, "
        + "TERNARY(nickname == nil, nil, TERNARY(nickname == '', 1, 0))) == 1")
  }

  @Test("lists, ranges and arithmetic")
  func lists() throws {
    let names = ["a", "b"]
    try expect(
      #Predicate { names.contains($0.name) && !$0.active }, "name IN {'a', 'b'} AND NOT active == 1"
    )
    try expect(#Predicate { (10..<20).contains($0.age) }, "age >= 10 AND age < 20")
    try expect(#Predicate { (10...20).contains($0.age) }, "age BETWEEN {10, 20}")
    try expect(#Predicate { ($0.age + 1) * 2 >= 40 }, "(age + 1) * 2 >= 40")
    try expect(#Predicate { $0.age / 2 == 1 }, "age / 2 == 1")
    try expect(#Predicate { $0.age % 2 == 1 }, "modulus:by:(age, 2) == 1")
    try expect(#Predicate { -$0.age < 0 }, "-(age) < 0")
  }

  @Test("to-many relationships")
  func collections() throws {
    try expect(
      #Predicate { $0.friends.contains { $0.age < 10 } },
      "SUBQUERY(friends, $x0, $x0.age < 10).@count > 0")
    try expect(
      #Predicate { $0.reports.allSatisfy { $0.age < 10 } },
      "SUBQUERY(reports, $x0, NOT $x0.age < 10).@count == 0")
    try expect(
      #Predicate { $0.friends.count > 3 && !$0.reports.isEmpty },
      "friends.@count > 3 AND NOT reports.@count == 0")
    try expect(
      #Predicate { $0.friends.filter { $0.age > 3 }.count > 2 },
      "SUBQUERY(friends, $x0, $x0.age > 3).@count > 2")
    try expect(
      #Predicate { person in
        person.friends.contains { friend in friend.friends.contains { $0.age > person.age } }
      },
      "SUBQUERY(friends, $x0, SUBQUERY($x0.friends, $x1, $x1.age > age).@count > 0).@count > 0")
  }

  @Test("what has no counterpart is refused by name")
  func unsupported() throws {
    let predicate = #Predicate<TypedPerson> { $0.name.min() == nil }
    #expect(thrownCode { try FetchPredicate(predicate) } == .invalidPredicate)
    do {
      _ = try FetchPredicate(predicate)
    } catch let error as PersistenceError {
      #expect(error.message.contains("SequenceMinimum"), "\(error.message)")
    }
  }
}
