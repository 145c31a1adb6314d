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
  private static let contract = EvolutionPolicy.contract.allowLosslessTypeChanges(true)

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  private func expectRefusal(_ word: String, _ key: String, _ body: () throws -> Void) {
    let error = #expect(throws: PersistenceError.self) { try body() }
    #expect(error?.code == .managedObjectValidation, "\(error as Any)")
    #expect(error?.key == key)
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(".contract") == true)
  }

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
    // The new version moves one, takes one away, and makes one, from either side.
    try new.relink("Person", "Cid", "teams", to: "Team", ["B"])
    try new.relink("Person", "Ada", "teams", to: "Team", [])
    try new.relink("Person", "Ada", "mentors", to: "Person", ["Cid"])
    try new.relink("Team", "A", "people", to: "Person", ["Bob"])
    try expectPeople(["Ada | -> Cid", "Bob -> A |", "Cid -> B |"], ["A -> Bob", "B -> Cid"])
    // What the old version could not hold is refused, and nothing of the save is written.
    expectRefusal("one object at most", "teams") {
      try new.relink("Person", "Cid", "teams", to: "Team", ["A", "B"])
    }
    expectRefusal("one object at most", "teams") {
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

  // MARK: - Types

  @Test("attributes of wider types are read and written by both versions (M10, M42)")
  func types() throws {
    let before = try TestModel(
      .init(
        "Person", Self.name, .attribute("age", .integer16), .attribute("size", .integer16),
        .attribute("count", .integer32, isOptional: false, value: .integer(3)),
        .attribute("weight", .float)))
    let after = try TestModel(
      .init(
        "Person", Self.name, .attribute("age", .integer64),
        .attribute("height", .double, was: "size", isOptional: false, value: .double(4)),
        .attribute("count", .double, isOptional: false, value: .double(3)),
        .attribute("weight", .double)))
    #expect(throws: PersistenceError(.inferredMappingModel, "")) {
      let description = try Servers.description()
      try Release(before, description).close()
      _ = try Release(after, description, .expand)
    }
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Person", ["name": "Ada", "age": 36, "size": 170, "weight": 0.5 as Float])
    try old.insert("Person", ["name": "Bob"])
    let new = try Release(after, description, Self.expand)
    try old.insert("Person", ["name": "Cid", "size": -32_768, "count": 5])
    try new.insert("Person", ["name": "Dan", "age": 32_767, "height": 2.0, "count": -7.0])
    func expectPeople(_ lines: [String]) throws {
      #expect(try new.lines("Person", "name", "age", "height", "count", "weight") == lines)
    }
    try expectPeople([
      "Ada 36 170.0 3.0 0.5", "Bob - 4.0 3.0 -", "Cid - -32768.0 5.0 -", "Dan 32767 2.0 -7.0 -",
    ])
    #expect(
      try old.lines("Person", "name", "age", "size", "count") == [
        "Ada 36 170 3", "Bob - 4 3", "Cid - -32768 5", "Dan 32767 2 -7",
      ])
    try old.change("Person", "name", "Ada") { try $0.setValue(nil, forKey: "size") }
    try new.change("Person", "name", "Dan") {
      try $0.setValue(12.0, forKey: "height")
      try $0.setValue(nil, forKey: "age")
    }
    #expect(try old.lines("Person", "age", "size").contains("- 12"))
    #expect(try new.lines("Person", "name", "height").contains("Ada 4.0"))
    for (key, value) in [
      ("height", 0.5), ("height", 40_000), ("count", 3e9), ("age", 32_768),
      ("weight", 1e300),
    ] as [(String, Double)] {
      expectRefusal(key == "weight" ? "a float can hold" : "bits", key) {
        try new.change("Person", "name", "Bob") {
          if key == "age" {
            try $0.setValue(Int64(value), forKey: key)
          } else {
            try $0.setValue(value, forKey: key)
          }
        }
      }
    }
    expectRefusal("bits", "height") { try new.insert("Person", ["height": 0.25]) }
    func update(_ release: Release, _ key: String, _ value: any Sendable) throws {
      let request = BatchUpdateRequest(entityName: "Person")
      request.propertiesToUpdate = [key: value]
      _ = try release.context().execute(request)
    }
    try update(old, "size", 9)
    #expect(try new.lines("Person", "height").allSatisfy { $0 == "9.0" })
    try update(new, "height", 8.0)
    #expect(try old.lines("Person", "size").allSatisfy { $0 == "8" })
    expectRefusal("bits", "height") { try update(new, "height", 0.5) }
    try old.close()
    try new.close()
    let last = try Release(after, description, Self.contract)
    try last.change("Person", "name", "Bob") { try $0.setValue(0.5, forKey: "height") }
    #expect(try last.lines("Person", "name", "height").contains("Bob 0.5"))
    #expect(!(try description.everything()).contains { $0.hasPrefix("column Person.size ") })
  }

  @Test("texts become URIs, and URIs texts, as long as all of them are both (M10, M42)")
  func texts() throws {
    let before = try TestModel(
      .init("Person", Self.name, .attribute("page", .string), .attribute("link", .uri)))
    let after = try TestModel(
      .init("Person", Self.name, .attribute("page", .uri), .attribute("link", .string)))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert(
      "Person", ["name": "Ada", "page": "no page", "link": URL(string: "about:blank")])
    let everything = try description.everything()
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(after, description, Self.expand)
    }
    #expect(error?.code == .migration)
    #expect(error?.objectIDs.count == 1)
    #expect(try description.everything() == everything)
    try old.change("Person", "name", "Ada") {
      try $0.setValue("https://a.example/b?c#d", forKey: "page")
    }
    let new = try Release(after, description, Self.expand)
    try old.insert("Person", ["name": "Bob", "page": "mailto:bob@b.example"])
    try new.insert(
      "Person", ["name": "Cid", "page": URL(string: "https://c.example:80/"), "link": "file:///x"])
    #expect(
      try new.lines("Person", "name", "page", "link") == [
        "Ada https://a.example/b?c#d about:blank", "Bob mailto:bob@b.example -",
        "Cid https://c.example:80/ file:///x",
      ])
    #expect(
      try new.lines("Person", "name", "page", "link")
        == (try old.lines("Person", "name", "page", "link")))
    expectRefusal("a URI", "page") { try old.insert("Person", ["page": "my page"]) }
    expectRefusal("a URI", "link") { try new.insert("Person", ["link": "https://x:y:z/"]) }
    expectRefusal("a URI", "link") {
      try new.change("Person", "name", "Cid") { try $0.setValue("", forKey: "link") }
    }
  }

  @Test("a default that the other version cannot hold is refused before anything is written (M42)")
  func defaults() throws {
    let none = TestModel.Property.attribute("a", .string)
    let pairs: [(TestModel.Property, TestModel.Property)] = [
      (
        none,
        .attribute("a", .uri, isOptional: false, value: .uri(try #require(URL(string: "relative"))))
      ),
      (.attribute("a", .string, value: .string("no page")), .attribute("a", .uri)),
      (.attribute("a", .integer16), .attribute("a", .double, value: .double(0.5))),
      (.attribute("a", .integer16), .attribute("a", .integer32, value: .integer(40_000))),
      (.attribute("a", .float), .attribute("a", .double, value: .double(1e300))),
    ]
    for (before, after) in pairs {
      let description = try Servers.description()
      let old = try Release(TestModel(.init("Person", Self.name, before)), description)
      try old.insert("Person", ["name": "Ada", "a": NSNull()])
      let everything = try description.everything()
      let error = #expect(throws: PersistenceError.self) {
        _ = try Release(TestModel(.init("Person", Self.name, after)), description, Self.expand)
      }
      #expect(error?.code == .migration)
      #expect(error?.message.contains("has a default that programs of the other version") == true)
      #expect(try description.everything() == everything)
    }
  }

  // MARK: - Hierarchies

  @Test("attributes that move in a hierarchy are read and written by both versions (M12, M42)")
  func hierarchy() throws {
    let tag = TestModel.Property.attribute("tag", .string)
    let before = try TestModel(
      .init(
        "Asset", abstract: true, Self.name,
        .attribute("sum", .integer16, isOptional: false, value: .integer(5))),
      .init("Car", parent: "Asset", tag, .attribute("doors", .integer16, value: .integer(4))),
      .init("Boat", parent: "Asset", tag), .init("Plane", parent: "Asset"))
    let after = try TestModel(
      .init(
        "Asset", abstract: true, Self.name, tag, .attribute("doors", .integer16, value: .integer(4))
      ),
      .init(
        "Car", parent: "Asset", .attribute("sum", .integer16, isOptional: false, value: .integer(5))
      ),
      .init("Boat", parent: "Asset"), .init("Plane", parent: "Asset"))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Car", ["name": "a", "tag": "x", "doors": 2])
    try old.insert("Boat", ["name": "b", "tag": "y", "sum": 9])
    try old.insert("Plane", ["name": "c"])
    let new = try Release(after, description, .expand)
    try old.insert("Boat", ["name": "d", "tag": "z"])
    try old.insert("Plane", ["name": "e"])
    try new.insert("Boat", ["name": "f", "tag": "u", "doors": NSNull()])
    try new.insert("Car", ["name": "g", "tag": "v", "doors": 3, "sum": 1])
    try new.change("Boat", "name", "b") { try $0.setValue("w", forKey: "tag") }
    try old.change("Boat", "name", "d") { try $0.setValue(nil, forKey: "tag") }
    try new.change("Plane", "name", "e") { try $0.setValue("p", forKey: "tag") }
    let tags = ["a x 2", "b w 4", "c - 4", "d - 4", "e p 4", "f u -", "g v 3"]
    #expect(try new.lines("Asset", "name", "tag", "doors") == tags)
    #expect(try old.lines("Boat", "name", "tag", "sum") == ["b w 9", "d - 5", "f u 5"])
    #expect(try old.lines("Car", "name", "tag", "doors", "sum") == ["a x 2 5", "g v 3 1"])
    #expect(try old.lines("Plane", "name", "sum") == ["c 5", "e 5"])
    try old.close()
    try new.close()
    let last = try Release(after, description, .contract)
    #expect(try last.lines("Asset", "name", "tag", "doors") == tags)
    #expect(try last.lines("Car", "name", "sum") == ["a 5", "g 1"])
    try last.insert("Plane", ["name": "h", "doors": NSNull()])
    #expect(try last.lines("Plane", "name", "doors").contains("h -"))
    #expect(
      !(try description.everything()).contains {
        $0.hasPrefix("column Asset") && !$0.hasSuffix(" ")
      })
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
  /// Sets a to-many relationship to objects that are told by their names.
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
