// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostLMDB
import RoostModel
import RoostObjects
import RoostPostgreSQL
import RoostSQLite
import RoostStore
import Testing

@testable import RoostMigration

/// Tests of fixtures: small stores of released versions, which are made and migrated.
@Suite struct FixtureTests {
  let folder: TestFolder
  let lock: URL
  let fixtures: URL
  static let types: [PersistentStoreType] = [.sqlite, .lmdb, .binary]
  static let stores = types.map { PersistentStoreDescription(type: $0) }

  init() throws {
    folder = try TestFolder()
    lock = folder.url.appending(path: "People.roostlock")
    fixtures = folder.url.appending(path: "Fixtures", directoryHint: .isDirectory)
  }

  /// Locks versions as releases 1, 2 and so on, and makes their stores.
  @discardableResult
  func release(
    _ models: [ManagedObjectModel], _ types: [PersistentStoreType] = [.sqlite]
  ) throws -> [ModelLock.Fixture] {
    for (index, model) in models.enumerated() {
      try ModelLock.write(model, to: lock)
      try ModelLock.release("\(index + 1)", at: lock)
    }
    return try ModelLock.makeFixtures(
      of: models.last ?? ManagedObjectModel(), in: fixtures, from: lock, types: types)
  }

  func check(
    _ model: ManagedObjectModel, _ stores: [PersistentStoreDescription] = [.init(type: .sqlite)],
    except labels: Set<String> = [], validates: Bool = true
  ) throws {
    try ModelLock.checkFixtures(
      of: model, in: fixtures, against: lock, stores: stores, except: labels, validates: validates)
  }

  /// Returns the error of a check, which must have a code.
  func failure(
    _ code: PersistenceError.Code, _ model: ManagedObjectModel,
    _ stores: [PersistentStoreDescription] = [.init(type: .sqlite)]
  ) -> PersistenceError? {
    #expect(throws: PersistenceError(code, "")) { try check(model, stores) }
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixtures.path).sorted()
  }

  func bytes() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try names() {
      result[name] = try Data(contentsOf: fixtures.appending(path: name))
    }
    return result
  }

  // MARK: - Making

  @Test("each released version has a store of each type, the one under development has none (M67)")
  func made() throws {
    let first = try release([Versions.model(1), Versions.model(2)], Self.types)
    try ModelLock.write(Versions.model(3), to: lock)
    let again = try ModelLock.makeFixtures(
      of: Versions.model(3), in: fixtures, from: lock, types: Self.types)
    let expected = ["1.binary", "1.lmdb", "1.sqlite", "2.binary", "2.lmdb", "2.sqlite"]
    #expect(try names() == expected)
    #expect(first.map(\.url.lastPathComponent).sorted() == expected)
    #expect(first.map(\.isNew) == Array(repeating: true, count: 6))
    #expect(again.map(\.isNew) == Array(repeating: false, count: 6))
    #expect(first.map(\.label) == ["1", "1", "1", "2", "2", "2"])
    for fixture in first {
      let count = try Staff.withStore(
        PersistentStoreDescription(type: fixture.type, url: copy(fixture.url)),
        Versions.model(Int(fixture.label) ?? 0)
      ) { context, _ in try context.count(for: FetchRequest<ManagedObject>(entityName: "Person")) }
      #expect(count == 3)
    }
  }

  @Test("a store that is there is never overwritten, not even when it is damaged (M67)")
  func kept() throws {
    try release([Versions.model(1)])
    let file = fixtures.appending(path: "1.sqlite")
    try Data("mine".utf8).write(to: file)
    let again = try ModelLock.makeFixtures(
      of: Versions.model(1), in: fixtures, from: lock, types: [.sqlite, .lmdb])
    #expect(again.map(\.isNew) == [false, true])
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
  }

  @Test("what an interrupted run has left is replaced, and no half store is found (M67)")
  func interrupted() throws {
    try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
    try Data("half".utf8).write(to: fixtures.appending(path: ".1.sqlite.partial"))
    try release([Versions.model(1)])
    #expect(try names() == ["1.sqlite"])
    try check(Versions.model(1))
  }

  @Test("the same model gives the same objects each time, in each type of store (M67)")
  func deterministic() throws {
    let made = try release([Catalogue.model()], Self.types)
    let contents = try made.map { try Catalogue.contents(.init(type: $0.type, url: copy($0.url))) }
    let other = folder.url.appending(path: "Other")
    let again = try ModelLock.makeFixtures(
      of: Catalogue.model(), in: other, from: lock, types: [.sqlite])
    let second = try Catalogue.contents(.init(type: .sqlite, url: again[0].url))
    #expect(contents == [second, second, second])
    #expect(second.contains { $0.hasPrefix("Book ") })
  }

  @Test("objects satisfy bounds, lengths, patterns, unique values, counts and required links (M67)")
  func rules() throws {
    let made = try release([Catalogue.model()], Self.types)
    #expect(made.map(\.missingEntities) == [[:], [:], [:]])
    try check(Catalogue.model(), Self.stores)
    let lines = try Catalogue.contents(.init(type: .sqlite, url: made[0].url))
    // Every attribute and relationship has a value somewhere.
    for key in Catalogue.keys {
      #expect(lines.contains { $0.contains(" \(key)=") }, "\(key)")
    }
    // Optional ones are nil somewhere.
    #expect(lines.contains { !$0.contains(" note=") })
    #expect(lines.filter { $0.hasPrefix("Shelf ") }.allSatisfy { $0.contains("books=5") })
  }

  @Test("an entity that needs a value of the program's own has no objects, and is named (M67)")
  func missing() throws {
    let photo = EntityDescription(name: "Photo")
    let pixels = AttributeDescription(name: "pixels", type: .transformable)
    pixels.isOptional = false
    let place = AttributeDescription(name: "place", type: .string)
    place.isOptional = false
    place.regularExpression = "(?=a)b.*"
    photo.properties = [pixels]
    let spot = EntityDescription(name: "Spot")
    spot.properties = [place]
    let note = EntityDescription(name: "Note")
    note.properties = [AttributeDescription(name: "text", type: .string)]
    let model = ManagedObjectModel(entities: [photo, spot, note])
    let made = try release([model])
    #expect(made[0].missingEntities.keys.sorted() == ["Photo", "Spot"])
    #expect(made[0].missingEntities["Photo"]?.contains("pixels") == true)
    try check(model)
  }

  @Test("rules that leave few objects, or none, are kept (M67)")
  func narrow() throws {
    let node = EntityDescription(name: "Node")
    let flag = AttributeDescription(name: "flag", type: .boolean)
    flag.isOptional = false
    node.properties = [flag, Self.link("parent", node, 1)]
    node.uniquenessConstraints = [["flag"]]
    let (left, right) = (EntityDescription(name: "Left"), EntityDescription(name: "Right"))
    let special = EntityDescription(name: "SpecialRight")
    right.subentities = [special]
    let (there, back) = (Self.link("right", right, 1), Self.link("left", left, 1))
    (there.inverseRelationship, back.inverseRelationship) = (back, there)
    left.properties = [there]
    right.properties = [back]
    let crowd = EntityDescription(name: "Crowd")
    let many = Self.link("nodes", node, 0)
    many.minCount = 1_000
    crowd.properties = [many]
    let model = ManagedObjectModel(entities: [node, left, right, special, crowd])
    let made = try release([model], Self.types)
    for fixture in made {
      #expect(fixture.missingEntities.keys.sorted() == ["Crowd"])
      let description = PersistentStoreDescription(type: fixture.type, url: try copy(fixture.url))
      let counts = try Staff.withStore(description, model) { context, _ in
        try ["Node", "Left", "Right"].map {
          try context.count(for: FetchRequest<ManagedObject>(entityName: $0))
        }
      }
      #expect(counts == [2, 6, 6])
    }
    try check(model, Self.stores)
  }

  /// Returns a relationship that must have destinations.
  private static func link(
    _ name: String, _ destination: EntityDescription, _ maxCount: Int
  ) -> RelationshipDescription {
    let link = RelationshipDescription(name: name, destination: destination, maxCount: maxCount)
    link.isOptional = false
    return link
  }

  @Test("a label with any characters names a file of the folder (M67)")
  func labels() throws {
    try ModelLock.write(Versions.model(1), to: lock)
    try ModelLock.release("../a b/ü", at: lock)
    try ModelLock.makeFixtures(
      of: Versions.model(1), in: fixtures, from: lock, types: [.sqlite])
    #expect(try names() == ["%2E.%2Fa%20b%2F%C3%BC.sqlite"])
    try check(Versions.model(1))
  }

  @Test("stores on a server and in memory cannot be kept (M67)")
  func noFiles() throws {
    try release([Versions.model(1)])
    for type in [PersistentStoreType.postgresql, .inMemory] {
      #expect(throws: PersistenceError(.persistentStoreInvalidType, "")) {
        try ModelLock.makeFixtures(
          of: Versions.model(1), in: fixtures, from: lock, types: [type])
      }
      #expect(throws: PersistenceError(.persistentStoreInvalidType, "")) {
        try check(Versions.model(1), [PersistentStoreDescription(type: type)])
      }
    }
    #expect(try names() == ["1.sqlite"])
  }

  @Test("a folder that cannot be written is told (M67)")
  func unwritable() throws {
    try Data().write(to: fixtures)
    let error = #expect(throws: PersistenceError(.persistentStoreSave, "")) {
      try release([Versions.model(1)])
    }
    #expect(error?.store == fixtures.path)
  }

  /// Makes a copy, so that opening it leaves no files in the folder of the fixtures.
  func copy(_ url: URL) throws -> URL {
    let place = folder.url.appending(path: UUID().uuidString)
    try FileManager.default.copyItem(at: url, to: place)
    return place
  }
}
