// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostPostgreSQL

@Suite("Expanding changes of shape", .enabled(if: Servers.isThere))
struct ChangedShapeTests {
  private static let name = TestModel.Property.attribute("name", .string)
  private static let expand = EvolutionPolicy.expand.allowLosslessTypeChanges(true)

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  // MARK: - Relationships

  private static func one() throws -> TestModel {
    try TestModel(
      .init("Person", name, .one("team", "Team", inverse: "people"), .one("mentor", "Person")),
      .init("Team", name, .many("people", "Person", inverse: "team")))
  }

  private static func many(isOrdered: Bool = false) throws -> TestModel {
    try TestModel(
      .init(
        "Person", name,
        .many("teams", "Team", was: "team", inverse: "people", isOrdered: isOrdered),
        .many("mentors", "Person", was: "mentor")),
      .init("Team", name, .many("people", "Person", inverse: "teams")))
  }

  @Test(
    "a to-one relationship that becomes to-many is read and written by both versions (M42)",
    arguments: [false, true])
  func toMany(_ isOrdered: Bool) throws {
    let description = try Servers.description()
    let old = try Release(Self.one(), description)
    for name in ["Ada", "Bob", "Cid"] { try old.insert("Person", ["name": name]) }
    for name in ["A", "B"] { try old.insert("Team", ["name": name]) }
    try old.link("Person", "Ada", "team", to: "Team", "A")
    try old.link("Person", "Bob", "mentor", to: "Person", "Ada")
    let version = try Self.many(isOrdered: isOrdered)
    let new = try Release(version, description, .expand)
    func expectPeople(_ lines: [String], _ teams: [String]) throws {
      #expect(
        try old.lines("Person", "name", "team", "mentor")
          == lines.map { $0.replacing("|", with: "-") })
      if !isOrdered {
        #expect(
          try new.lines("Person", "name", "teams", "mentors")
            == lines.map { $0.replacing("|", with: "") })
      }
      #expect(try old.lines("Team", "name", "people") == teams)
      #expect(try new.lines("Team", "name", "people") == teams)
    }
    try expectPeople(["Ada -> A |", "Bob | -> Ada", "Cid | |"], ["A -> Ada", "B "])
    try old.link("Person", "Cid", "team", to: "Team", "A")
    try old.change("Person", "name", "Bob") { try $0.setValue(nil, forKey: "mentor") }
    try expectPeople(["Ada -> A |", "Bob | |", "Cid -> A |"], ["A -> Ada -> Cid", "B "])
    // The new version moves one link, removes one, and adds one, from either side.
    try new.relink("Person", "Cid", "teams", to: "Team", ["B"])
    try new.relink("Person", "Ada", "teams", to: "Team", [])
    try new.relink("Person", "Ada", "mentors", to: "Person", ["Cid"])
    try new.relink("Team", "A", "people", to: "Person", ["Bob"])
    try expectPeople(["Ada | -> Cid", "Bob -> A |", "Cid -> B |"], ["A -> Bob", "B -> Cid"])
    // A save that the old version could not represent is refused as a whole.
    expectUnheld("one object at most", "teams") {
      try new.relink("Person", "Cid", "teams", to: "Team", ["A", "B"])
    }
    expectUnheld("one object at most", "teams") {
      try new.relink("Team", "B", "people", to: "Person", ["Bob", "Cid"])
    }
    try expectPeople(["Ada | -> Cid", "Bob -> A |", "Cid -> B |"], ["A -> Bob", "B -> Cid"])
    // Deletions by either version.
    try new.delete("Team", "name", "B")
    try old.delete("Person", "name", "Cid")
    try expectPeople(["Ada | |", "Bob -> A |"], ["A -> Bob"])
    try old.close()
    let last = try Release(version, description, .contract)
    try new.insert("Team", ["name": "C"])
    try last.relink("Person", "Bob", "teams", to: "Team", ["A", "C"])
    #expect(
      try last.lines("Team", "name", "people") == ["A -> Bob", "C -> Bob"])
    let everything = try description.everything()
    #expect(!everything.contains { $0.contains("_sync_") || $0.hasPrefix("column Person.team ") })
    #expect(!everything.contains { $0.hasPrefix("column Person.mentor ") })
  }

  @Test("many records come by copying, in batches, and both versions see them (M42)")
  func copied() throws {
    let description = try Servers.description()
    let old = try Release(Self.one(), description)
    try old.insert("Team", ["name": "A"])
    let new = try Release(Self.many(), description, .expand)
    for (release, key) in [(old, "team"), (new, "teams")] {
      let context = release.context()
      try withExtendedLifetime(context) {
        let team = try #require(
          try context.fetch(FetchRequest<ManagedObject>(entityName: "Team")).first)
        for number in 0..<200 {
          let person = try EntityDescription.insertNewObject(
            forEntityName: "Person", into: context)
          try person.setValue("\(key) \(number)", forKey: "name")
          try person.setValue(key == "team" ? team : Set([team]), forKey: key)
        }
        try context.save()
      }
    }
    #expect(try old.lines("Person", "team").allSatisfy { $0 == "-> A" })
    #expect(try new.lines("Person", "teams").allSatisfy { $0 == "-> A" })
    #expect(try new.lines("Person", "teams").count == 400)
    // A transaction that is rolled back leaves both as they were.
    let session = try raw()
    let schema = try description.schemaName
    try session.run(["BEGIN", "UPDATE \(schema).\"Person\" SET team = NULL", "ROLLBACK"])
    #expect(try new.lines("Person", "teams").allSatisfy { $0 == "-> A" })
    try session.run(["UPDATE \(schema).\"Person\" SET team = NULL"])
    #expect(try new.lines("Person", "teams").allSatisfy { $0 == "" })
  }

  @Test("links whose other end becomes to-one are read and written by both versions (M11, M42)")
  func toOne() throws {
    let before = try TestModel(
      .init("Person", Self.name), .init("Team", Self.name, .many("people", "Person")))
    let after = try TestModel(
      .init("Person", Self.name, .one("team", "Team", inverse: "people")),
      .init("Team", Self.name, .many("people", "Person", inverse: "team")))
    let description = try Servers.description()
    let old = try Release(before, description)
    for name in ["Ada", "Bob"] { try old.insert("Person", ["name": name]) }
    for name in ["A", "B"] { try old.insert("Team", ["name": name]) }
    for team in ["A", "B"] { try old.relink("Team", team, "people", to: "Person", ["Ada"]) }
    let everything = try description.everything()
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(after, description, .expand)
    }
    #expect(error?.code == .migration)
    #expect(error?.objectIDs.count == 1)
    #expect(try description.everything() == everything)
    try old.relink("Team", "B", "people", to: "Person", [])
    let new = try Release(after, description, .expand)
    func expectTeams(_ teams: [String], _ people: [String]) throws {
      #expect(try old.lines("Team", "name", "people") == teams)
      #expect(try new.lines("Team", "name", "people") == teams)
      #expect(try new.lines("Person", "name", "team") == people)
    }
    try expectTeams(["A -> Ada", "B "], ["Ada -> A", "Bob -"])
    try new.link("Person", "Bob", "team", to: "Team", "A")
    try old.relink("Team", "A", "people", to: "Person", ["Bob"])
    try expectTeams(["A -> Bob", "B "], ["Ada -", "Bob -> A"])
    try old.relink("Team", "B", "people", to: "Person", ["Ada"])
    try new.link("Person", "Bob", "team", to: "Team", "B")
    try expectTeams(["A ", "B -> Ada -> Bob"], ["Ada -> B", "Bob -> B"])
    let refused = #expect(throws: PersistenceError.self) {
      try old.relink("Team", "A", "people", to: "Person", ["Bob"])
    }
    #expect(refused?.code == .managedObjectValidation, "\(refused as Any)")
    try old.delete("Person", "name", "Ada")
    try new.delete("Team", "name", "B")
    try expectTeams(["A "], ["Bob -"])
    try old.close()
    let last = try Release(after, description, .contract)
    try last.link("Person", "Bob", "team", to: "Team", "A")
    #expect(try last.lines("Team", "name", "people") == ["A -> Bob"])
  }

  // MARK: - Interruptions

  @Test(
    "changes of shape that were interrupted at any step are taken up (M42, M50)",
    arguments: 1...12)
  func interrupted(_ report: Int) throws {
    let before = try TestModel(
      .init(
        "Person", Self.name, .attribute("age", .integer16), .one("team", "Team", inverse: "people")),
      .init("Team", Self.name, .many("people", "Person", inverse: "team")))
    let after = try TestModel(
      .init(
        "Person", Self.name, .attribute("age", .double), .many("team", "Team", inverse: "people")),
      .init("Team", Self.name, .many("people", "Person", inverse: "team")))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Team", ["name": "A"])
    try old.insert("Team", ["name": "B"])
    try old.insert("Person", ["name": "first", "age": 1])
    try old.link("Person", "first", "team", to: "Team", "A")
    let schema = try description.schemaName
    // More records than are filled in one transaction.
    try raw().run([
      """
      INSERT INTO \(schema)."Person" (_key, _version, name, age, team) \
      SELECT (100000 + n) * 4096 + (p._key & 4095), 1, 'n' || n, 1, p.team \
      FROM generate_series(1, 11000) AS n, \(schema)."Person" AS p
      """
    ])
    do {
      _ = try Release(after, description, Self.expand, stoppingAt: report)
    } catch let error as PersistenceError {
      #expect(error.code == .migrationCancelled)
    }
    try old.link("Person", "first", "team", to: "Team", "B")
    try old.change("Person", "name", "n10000") { try $0.setValue(nil, forKey: "team") }
    try old.change("Person", "name", "n10") { try $0.setValue(7, forKey: "age") }
    try old.delete("Person", "name", "n11")
    let new = try Release(after, description, Self.expand)
    let lines = try new.lines("Person", "name", "age", "team")
    #expect(lines.count == 11_000)
    #expect(lines.filter { $0.hasSuffix(" 1.0 -> A") }.count == 10_997)
    #expect(lines.contains("first 1.0 -> B"))
    #expect(lines.contains("n10000 1.0 "))
    #expect(lines.contains("n10 7.0 -> A"))
    let olds = try old.lines("Person", "name", "age", "team")
    #expect(olds == lines.map { ($0.hasSuffix(" ") ? $0 + "-" : $0).replacing(".0 ", with: " ") })
  }
}

extension Release {
  /// Sets a to-many relationship to objects identified by their names.
  fileprivate func relink(
    _ entity: String, _ value: String, _ relationship: String, to other: String, _ names: [String]
  ) throws {
    let context = context()
    try withExtendedLifetime(context) {
      let targets = try context.fetch(FetchRequest<ManagedObject>(entityName: other)).filter {
        names.contains(try $0.value(forKey: "name") as? String ?? "")
      }
      for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
      where try object.value(forKey: "name") as? String == value {
        guard object.entity.relationshipsByName[relationship]?.isOrdered == true else {
          try object.setValue(Set(targets), forKey: relationship)
          continue
        }
        try object.mutableOrderedSetValue(forKey: relationship).set(targets)
      }
      try context.save()
    }
  }
}
