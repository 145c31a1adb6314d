// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests of resolving names, and of the refusal of invalid paths.
@Suite struct PathResolvingTests {
  static let resolvable: [String] = [
    "name == 'x'", "SELF.name == 'x'", "self.self.name == 'x'", "boss.boss.department.name == 'x'",
    "address.city == 'x'",
    "boss.address.zip > 5", "ANY friends.friends.department.people.address.city == 'x'",
    "objectID == nil",
    "self.objectID == nil", "boss.objectID == boss", "entity == 'Manager'",
    "entity.name == 'Manager'",
    "boss.entity IN {'Manager', 'Robot'}", "entity != 'Robot'", "ANY friends.entity == 'Robot'",
    "budget > 5",
    "boss.budget > 5", "entity == 'Manager' AND rank > 3", "entity == 'Robot' AND rank == 'x'",
    "entity IN {'Manager'} AND rank > 3", "boss.entity == 'Manager' AND boss.rank > 3",
    "friends.@count > 3", "friends.@sum.age > 3", "friends.age.@sum > 3",
    "friends.@max.born > now()", "friends[SIZE] > 3",
    "count(friends) > 3", "sum(friends.age) > 3",
    "SUBQUERY(friends, $x, $x.age > age AND $x.boss == SELF).@count > 1",
    "SUBQUERY(friends, $x, SUBQUERY($x.friends, $y, $y == $x OR $y.age > $x.age).@count > 0).@count > 1",
    "SUBQUERY(friends, $x, $x.entity == 'Manager' AND $x.rank > 1).@count > 0", "boss IN friends",
    "friends CONTAINS boss",
    "'a' IN name", "name.length > 3", "boss.name.length > 3", "ALL {1, 2} IN friends.age",
    "5 IN friends.age",
    "3 == friends.@count", "age IN {boss.age, 5}", "age BETWEEN {boss.age, 5}",
    "born < now() - 86400", "born - boss.born > 5",
    "TERNARY(boss == nil, age, boss.age) > 5", "CAST(age, 'NSString') == '5'", "pet != nil",
    "age & 3 == 1", "home == nil",
  ]

  @Test("these can be asked", arguments: resolvable)
  func resolves(_ format: String) throws {
    _ = try Company().resolved(format)
  }

  static let unknown: [(String, String, String)] = [
    ("nme == 'x'", "nme", "Person"), ("boss.nme == 'x'", "nme", "Person"),
    ("department.age == 5", "age", "Department"),
    ("name.first == 'x'", "first", "Person"), ("address.street == 'x'", "address.street", "Person"),
    ("address.city.x == 'x'", "x", "Person"), ("rank > 3", "rank", "Person"), ("$x == 5", "", ""),
    ("SUBQUERY(friends, $x, $x.nme == 'x').@count > 0", "nme", "Person"),
    ("friends.@sum.nme > 3", "nme", "Person"),
    ("entity == 'Robot' AND budget > 5", "budget", "Person"),
    ("boss.entity == 'Manager' AND rank > 3", "rank", "Person"),
    ("objectID.x == 5", "x", "Person"), ("description == 'x'", "description", "Person"),
    ("hash == 5", "hash", "Person"),
    ("identifier.UUIDString == 'x'", "identifier", "Person"),
  ]

  @Test("a name that is no property is refused with the key and the entity", arguments: unknown)
  func unknownKeys(_ format: String, _ key: String, _ entity: String) throws {
    do {
      _ = try Company().resolved(format)
      Issue.record("resolved")
    } catch let error as PersistenceError {
      if key.isEmpty {
        #expect(error.code == .invalidRequest)
      } else {
        #expect(error.code == .unknownKey)
        #expect(error.key == key)
        #expect(error.entityName == entity)
      }
    }
  }

  static let refused: [String] = [
    "mood == 'x'", "boss.mood == 'x'", "address == 'x'", "friends == nil", "friends.age > 3",
    "address > nil",
    "age == friends.age", "department > nil OR department > boss", "department < department",
    "entity > 'Manager'",
    "entity CONTAINS 'M'", "SUBQUERY(friends, $x, $x.age > 3) == nil",
    "SUBQUERY(friends, $x, $x.age > 3).name == 'x'",
    "SUBQUERY(name, $x, $x.age > 3).@count > 0", "friends.@distinctUnionOfObjects.age == 5",
    "boss.@count > 3",
    "friends.@sum.friends.@count > 3", "sum(age) > 3", "max(age) == 5", "friends[FIRST].age > 3",
    "friends[3] == boss",
    "distanceToLocation:fromLocation:(age, height) < 3", "age == {1, 2}", "age BETWEEN 5",
    "age IN 5", "$v == age",
    "$v.name == 'x'", "born + born > now()", "5 - born > 3", "abs(friends.age) == 5",
    "entity == name", "ALL friends.age IN {boss.age}",
    "ANY friends.age BETWEEN {boss.age, 5}", "pet < pet", "{1, 2} == age",
  ]

  @Test("what cannot be answered is refused with invalidRequest (B140, B141)", arguments: refused)
  func refuses(_ format: String) throws {
    #expect(thrownCode { try Company().resolved(format) } == .invalidRequest)
  }

  @Test("an entity that the model does not have is refused (B138)")
  func unknownEntities() throws {
    #expect(thrownCode { try Company().resolved("entity == 'Ghost'") } == .unknownEntity)
    #expect(
      thrownCode { try Company().resolved("boss.entity IN {'Manager', 'Ghost'}") } == .unknownEntity
    )
  }

  @Test("transient properties may be named where no store is asked (B140)")
  func transient() throws {
    let company = Company()
    let predicate = try FetchPredicate("mood == 'x'")
    _ = try company.resolver.predicate(predicate, of: company.person, inMemory: true)
    #expect(
      thrownCode { try company.resolver.sort([SortOrdering("mood")], of: company.person) }
        == .invalidRequest)
  }

  @Test("a path to a subentity's attribute is guarded by the entity")
  func guards() throws {
    let company = Company()
    guard case .comparison(let comparison) = try company.resolved("boss.budget > 5"),
      case .path(let path) = comparison.left
    else {
      Issue.record("no comparison of a path")
      return
    }
    #expect(path.endGuard === company.manager)
    #expect(path.rootEntity === company.person)
    #expect(path.relationships.map(\.name) == ["boss"])
    guard case .comparison(let own) = try company.resolved("budget > 5", of: company.manager),
      case .path(let ownPath) = own.left
    else {
      Issue.record("no comparison of a path")
      return
    }
    #expect(ownPath.endGuard == nil)
    #expect(ownPath.isOwnAttribute)
  }

  @Test("a key path of an object in the predicate is asked for, or refused (fixture P1095)")
  func objectPaths() throws {
    let company = Company()
    let id = company.id(4097)
    let predicate = try FetchPredicate("ANY friends IN %@.boss.friends", id)
    #expect(
      thrownCode { try company.resolver.predicate(predicate, of: company.person) }
        == .invalidRequest)
    var resolver = company.resolver
    resolver.objectValue = { asked, path in
      #expect(asked == id)
      #expect(path == ["boss", "friends"])
      return .list([.objectID(id)])
    }
    guard case .comparison(let comparison) = try resolver.predicate(predicate, of: company.person),
      case .list(let values) = comparison.right
    else {
      Issue.record("no comparison with a list")
      return
    }
    #expect(values == [.objectID(id)])
    #expect(comparison.modifier == .any)
  }

  @Test(
    "a lone value is judged as SELF, as validation does (B150)",
    arguments: [
      ("SELF > 3", Value.integer(5), true), ("SELF > 3", .integer(2), false),
      ("SELF BETWEEN {1, 5}", .double(2.5), true),
      ("SELF MATCHES '[a-z]+'", .string("abc"), true),
      ("SELF MATCHES '[a-z]+'", .string("abc1"), false),
      ("length >= 3", .string("ab"), false), ("SELF.length >= 3", .string("abc"), true),
      ("SELF == nil", .null, true),
      ("SELF IN {'a', 'b'}", .string("b"), true),
      ("NOT SELF CONTAINS[c] 'X'", .string("axe"), false),
      ("SELF == YES", .boolean(true), true),
      ("length:(SELF) > 1 AND SELF < 'b'", .string("aa"), true),
      ("SELF > 3", .null, false),
      ("SELF < now()", .date(Date(timeIntervalSinceReferenceDate: 5)), true),
    ] as [(String, Value, Bool)])
  func loneValues(_ format: String, _ value: Value, _ expected: Bool) throws {
    #expect(try Company().resolver.evaluate(FetchPredicate(format), with: value) == expected)
  }

  @Test("a condition on something else than the value is refused")
  func loneValueErrors() throws {
    let resolver = Company().resolver
    #expect(
      thrownCode { try resolver.evaluate(FetchPredicate("name == 'x'"), with: .integer(3)) }
        == .invalidRequest)
    #expect(
      thrownCode { try resolver.evaluate(FetchPredicate("SELF > 'x'"), with: .integer(3)) }
        == .invalidValue)
  }
}
