// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostPostgreSQL

@Suite("Expanding PostgreSQL stores", .enabled(if: Servers.isThere))
struct ExpansionTests {
  private static let name = TestModel.Property.attribute("name", .string)

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  // MARK: - Changes

  @Test("a new relationship and a removed one lead to nothing that is gone (M41)")
  func references() throws {
    let before = try TestModel(
      .init(
        "Person", Self.name, .one("mentor", "Person"), .many("clubs", "Club", inverse: "members"),
        .one("house", "House")),
      .init("Club", Self.name, .many("members", "Person", inverse: "clubs")),
      .init("House", Self.name))
    let after = try TestModel(
      .init(
        "Person", Self.name, .one("house", "House"), .one("team", "Team", inverse: "people"),
        .many("places", "House", inverse: "guests")),
      .init("Club", Self.name),
      .init("House", Self.name, .many("guests", "Person", inverse: "places")),
      .init("Team", Self.name, .many("people", "Person", inverse: "team")))
    let description = try Servers.description()
    let old = try Release(before, description)
    for name in ["Ada", "Bob", "Cid"] { try old.insert("Person", ["name": name]) }
    try old.insert("Club", ["name": "Chess"])
    try old.insert("House", ["name": "Blue"])
    try old.insert("House", ["name": "Red"])
    try old.link("Person", "Ada", "mentor", to: "Person", "Bob")
    try old.link("Person", "Ada", "clubs", to: "Club", "Chess")
    try old.link("Person", "Bob", "clubs", to: "Club", "Chess")
    let new = try Release(after, description, .expand)
    try new.insert("Team", ["name": "A"])
    try new.link("Person", "Ada", "team", to: "Team", "A")
    try new.link("Person", "Cid", "places", to: "House", "Red")
    // Neither version has the destinations of the other one's records.
    try new.delete("Person", "name", "Bob")
    try old.delete("House", "name", "Red")
    #expect(try old.lines("Person", "name", "mentor", "clubs") == ["Ada - -> Chess", "Cid - "])
    #expect(try new.lines("Person", "name", "team", "places") == ["Ada -> A ", "Cid - "])
    try new.delete("Club", "name", "Chess")
    #expect(try old.lines("Person", "name", "clubs") == ["Ada ", "Cid "])
    try old.close()
    let last = try Release(after, description, .contract)
    #expect(try last.lines("Person", "name", "team") == ["Ada -> A", "Cid -"])
    try last.insert("Person", ["name": "Dan"])
    try last.delete("Team", "name", "A")
    #expect(try last.lines("Person", "name", "team") == ["Ada -", "Cid -", "Dan -"])
  }

  @Test("entities of a hierarchy each have their own values, also under a new superentity (M41)")
  func hierarchy() throws {
    let before = try TestModel(
      .init("Asset", abstract: true, Self.name),
      .init("Car", parent: "Asset", .attribute("doors", .integer16), .attribute("old", .string)),
      .init("Boat", parent: "Asset", .attribute("sails", .integer16)))
    let after = try TestModel(
      .init("Thing", abstract: true, .attribute("tag", .string, value: .string("t"))),
      .init("Asset", parent: "Thing", abstract: true, Self.name),
      .init(
        "Car", parent: "Asset", unique: [["doors"]],
        .attribute("doors", .integer16, isOptional: false, value: .integer(4))),
      .init("Boat", parent: "Asset", .attribute("masts", .integer16, was: "sails")))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Car", ["name": "a"])
    try old.insert("Boat", ["name": "b"])
    let new = try Release(after, description, .expand)
    try old.insert("Car", ["name": "c", "doors": 2])
    try old.insert("Boat", ["name": "d"])
    try new.insert("Boat", ["name": "e", "masts": 3, "tag": "x"])
    func expectAll(_ release: Release) throws {
      #expect(try release.lines("Car", "name", "doors", "tag") == ["a 4 t", "c 2 t"])
      #expect(try release.lines("Boat", "name", "masts", "tag") == ["b - t", "d - t", "e 3 x"])
      #expect(try release.lines("Asset", "name") == ["a", "b", "c", "d", "e"])
    }
    try expectAll(new)
    #expect(try old.lines("Asset", "name") == ["a", "b", "c", "d", "e"])
    #expect(try old.lines("Boat", "name", "sails") == ["b -", "d -", "e 3"])
    #expect(throws: PersistenceError(.managedObjectConstraintMerge, "")) {
      try old.insert("Car", ["name": "f"])
    }
    try old.close()
    try new.close()
    let last = try Release(after, description, .contract)
    try expectAll(last)
    try last.insert("Boat", ["name": "g"])
    #expect(try last.lines("Thing", "tag").count == 6)
  }

  @Test("a program that only reads uses either version, and expands nothing (M40, M54)")
  func readOnly() throws {
    let before = try TestModel(.init("Person", Self.name))
    let after = try TestModel(.init("Person", .attribute("title", .string, was: "name")))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Person", ["name": "Ada"])
    var reading = description
    reading.isReadOnly = true
    let error = #expect(throws: PersistenceError.self) { _ = try Release(after, reading, .expand) }
    #expect(error?.code == .persistentStoreIncompatibleVersionHash)
    try Release(after, description, .expand).close()
    #expect(try Release(after, reading).lines("Person", "title") == ["Ada"])
    #expect(try Release(before, reading).lines("Person", "name") == ["Ada"])
  }

  @Test("defaults of all types are those of the model (M41)")
  func defaults() throws {
    let uuid = UUID()
    let values: [(String, AttributeType, Value)] = [
      ("a", .double, .double(0.1)), ("b", .decimal, .decimal(Decimal(string: "-12.50") ?? 0)),
      ("c", .uuid, .uuid(uuid)), ("d", .boolean, .boolean(true)),
      ("e", .binaryData, .data(Data([0, 1, 0x27, 0x5C, 255]))),
      ("f", .date, .date(Date(timeIntervalSinceReferenceDate: 0.3))),
      ("g", .string, .string("a'b\\c$roost$ \u{1F600}\n")),
      ("h", .integer64, .integer(.min)), ("i", .double, .double(.infinity)),
    ]
    let properties = values.map {
      TestModel.Property.attribute($0.0, $0.1, isOptional: false, value: $0.2)
    }
    let optional = values.map { TestModel.Property.attribute($0.0, $0.1) }
    let line = "0.1 -12.5 \(uuid) 1 \(Int64.min) inf"
    func expectDefaults(_ release: Release) throws {
      let lines = try release.lines("Person", "a", "b", "c", "d", "h", "i")
      #expect(lines == [line, line])
      let context = release.context()
      try withExtendedLifetime(context) {
        for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")) {
          #expect(try object.value(forKey: "e") as? Data == Data([0, 1, 0x27, 0x5C, 255]))
          #expect(
            try object.value(forKey: "f") as? Date == Date(timeIntervalSinceReferenceDate: 0.3))
          #expect(try object.value(forKey: "g") as? String == "a'b\\c$roost$ \u{1F600}\n")
        }
      }
    }
    let none = try TestModel(.init("Person", Self.name))
    let all = try TestModel(Self.entity(properties + [Self.name]))
    let some = try TestModel(Self.entity(optional + [Self.name]))
    for before in [none, some] {
      let description = try Servers.description()
      let old = try Release(before, description)
      try old.insert("Person", ["name": "Ada"])
      let new = try Release(all, description, .expand)
      try old.insert("Person", ["name": "Bob"])
      try expectDefaults(new)
      try old.close()
      try new.close()
      try expectDefaults(Release(all, description, .contract))
    }
    // Conversely, records inserted by the new version have them for the old one.
    let description = try Servers.description()
    let old = try Release(all, description)
    try old.insert("Person")
    let new = try Release(none, description, .expand)
    try new.insert("Person")
    try expectDefaults(old)
  }

  private static func entity(_ properties: [TestModel.Property]) -> TestModel.Entity {
    TestModel.Entity("Person", of: properties)
  }

  // MARK: - Constraints

  @Test("a new constraint is told to the old version by its name (M43)")
  func constraint() throws {
    let before = try TestModel(.init("Person", Self.name, .attribute("code", .string)))
    let after = try TestModel(
      .init("Person", unique: [["code"]], Self.name, .attribute("code", .string)))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    let new = try Release(after, description, .expand)
    try new.insert("Person", ["name": "Bob", "code": "b"])
    func expectRefusal(_ body: () throws -> Void) {
      let error = #expect(throws: PersistenceError.self) { try body() }
      #expect(error?.code == .managedObjectConstraintMerge)
      #expect(error?.message.contains("Person_unique_code") == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("does not have") == true)
    }
    expectRefusal { try old.insert("Person", ["name": "Cid", "code": "a"]) }
    expectRefusal {
      try old.change("Person", "name", "Ada") { try $0.setValue("b", forKey: "code") }
    }
    expectRefusal {
      let context = old.context()
      for number in 0..<100 {
        let object = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
        try object.setValue(number == 70 ? "a" : "c\(number)", forKey: "code")
      }
      try context.save()
    }
    #expect(try old.lines("Person", "name", "code") == ["Ada a", "Bob b"])
  }

  @Test("records that violate a new constraint are named before anything is written (M13, M43)")
  func duplicates() throws {
    let before = try TestModel(.init("Person", Self.name, .attribute("code", .string)))
    let after = try TestModel(
      .init(
        "Person", unique: [["code"]], Self.name, .attribute("code", .string),
        .attribute("new", .string)))
    let description = try Servers.description()
    let old = try Release(before, description)
    for code in ["a", "b", "a"] { try old.insert("Person", ["code": code]) }
    let everything = try description.everything()
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(after, description, .expand)
    }
    #expect(error?.code == .migrationConstraintViolation)
    #expect(error?.objectIDs.count == 2)
    #expect(try description.everything() == everything)
    try old.change("Person", "code", "a") { try $0.setValue(nil, forKey: "code") }
    _ = try Release(after, description, .expand)
  }

  @Test("an index that could not be completed is made again (M43)")
  func invalidIndex() throws {
    let before = try TestModel(.init("Person", Self.name))
    let after = try TestModel(.init("Person", unique: [["name"]], Self.name))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Person", ["name": "Ada"])
    #expect(throws: PersistenceError(.migrationCancelled, "")) {
      _ = try Release(after, description, .expand, stoppingAt: 1)
    }
    // The state that a server leaves that was stopped during the migration.
    let schema = try description.schemaName
    try raw().run([
      "INSERT INTO \(schema).\"Person\" (_key, _version, name) VALUES (-4095, 1, 'Ada')"
    ])
    #expect(throws: RawSession.RawError.self) {
      try raw().run([
        "CREATE UNIQUE INDEX CONCURRENTLY \"Person_unique_name\" ON \(schema).\"Person\" (name)"
      ])
    }
    try raw().run(["DELETE FROM \(schema).\"Person\" WHERE _key < 0"])
    let new = try Release(after, description, .expand)
    #expect(
      try raw().rows(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = '\(schema).\"Person_unique_name\"'::regclass"
      ) == ["t"])
    #expect(try new.lines("Person", "name") == ["Ada"])
  }
}
