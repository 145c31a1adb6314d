// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostLMDB
import RoostModel
import RoostObjects
import RoostSQLite
import RoostStore
import Testing

@testable import RoostMigration

extension FixtureTests {
  /// Returns a model of notes whose text has a type, with optional further changes.
  private func notes(
    _ type: AttributeType, name: String = "text",
    _ change: (AttributeDescription) -> Void = { _ in }
  ) -> ManagedObjectModel {
    let note = EntityDescription(name: "Note")
    let text = AttributeDescription(name: name, type: type)
    change(text)
    note.properties = [text, AttributeDescription(name: "mark", type: .integer32)]
    return ManagedObjectModel(entities: [note])
  }

  @Test("stores of a chain of versions follow to the newest, and are as they were (M67)")
  func chain() throws {
    try release((1...4).map(Versions.model), Self.types)
    let before = try bytes()
    try check(Versions.model(4), Self.stores)
    #expect(try bytes() == before)
    // The version under development has no store.
    let next = Versions.model(4)
    next.entities[0].properties.append(AttributeDescription(name: "age", type: .integer32))
    try check(next, Self.stores)
    #expect(try bytes() == before)
  }

  @Test("a renamed entity is the same one, and keeps its objects (M67)")
  func renamed() throws {
    try release([Versions.model(1)])
    let model = Versions.model(1)
    model.entities[0].name = "Human"
    model.entities[0].renamingIdentifier = "Person"
    try check(model)
  }

  @Test("a version from which nothing can be inferred fails, with the name of the fixture (M67)")
  func notInferred() throws {
    try release([notes(.string)], Self.types)
    let before = try bytes()
    let error = failure(.inferredMappingModel, notes(.date), Self.stores)
    #expect(error?.underlyingErrors.count == 3)
    #expect(error?.text.contains("1.lmdb of version 1") == true)
    #expect(try bytes() == before)
  }

  @Test("transforms of a description migrate what cannot be inferred (M67)")
  func custom() throws {
    try release([notes(.string)])
    var description = PersistentStoreDescription(type: .sqlite)
    description.migration = CustomMigration([
      EntityTransform("Note", toEntity: "Note", replacing: ["text"], setting: ["text"]) {
        _, new, _ in
        try new.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "text")
      }
    ])
    try check(notes(.date), [description])
  }

  @Test("the stages of a description are those that migrate (M67)")
  func staged() throws {
    try release((1...4).map(Versions.model))
    let log = StageLog()
    let light = LightweightMigrationStage([Versions.checksum(2), Versions.checksum(3)])
    var description = PersistentStoreDescription(type: .sqlite)
    description.migration = StagedMigrationManager([
      Versions.custom(1, 2, log), light, Versions.custom(3, 4, log),
    ])
    try check(Versions.model(4), [description])
    // Once for each release from which a stage migrates.
    #expect(log.calls.count { $0.hasPrefix("did 1-2") } == 1)
    #expect(log.calls.count { $0.hasPrefix("did 3-4") } == 3)
  }

  @Test("a migration that loses objects fails, unless the version is excepted (M67)")
  func lostObjects() throws {
    try release([notes(.string)])
    let before = try bytes()
    var description = PersistentStoreDescription(type: .sqlite)
    let removal = EntityMapping(from: "Note", to: nil)
    removal.name = "Removal"
    description.migration = MappingModels([
      MappingModel(entityMappings: [removal, EntityMapping(from: nil, to: "Note")])
    ])
    let model = notes(.date)
    let error = failure(.migration, model, [description])
    #expect(error?.text.contains("of 3 objects of Note there are 0") == true)
    try check(model, [description], except: ["1"])
    #expect(try bytes() == before)
  }

  @Test("a loss that the description's policy forbids fails (M67)")
  func lostValues() throws {
    try release([Versions.model(3)])
    var description = PersistentStoreDescription(type: .sqlite)
    try check(Versions.model(4), [description])
    description.evolution = .automatic.allowLoss(false)
    let error = failure(.migration, Versions.model(4), [description])
    #expect(error?.text.contains("name") == true)
  }

  @Test("objects that break a new rule fail, unless rules are for new data only (M67)")
  func rulesOfToday() throws {
    try release([notes(.string)])
    let model = notes(.string) { $0.minLength = 100 }
    let error = failure(.validationStringTooShort, model)
    #expect(error?.key == "text")
    try check(model, validates: false)
  }

  @Test(
    "a store that is made late satisfies the rules of today for the attributes that it has (M67)")
  func lateRules() throws {
    try ModelLock.write(notes(.string, name: "words"), to: lock)
    try ModelLock.release("1", at: lock)
    let model = notes(.string) {
      $0.renamingIdentifier = "words"
      $0.regularExpression = "[A-Z]{3}-\\d{2}"
    }
    try ModelLock.makeFixtures(of: model, in: fixtures, from: lock, types: [.sqlite])
    try check(model)
  }

  @Test("a required value that is computed and not stored is not asked for (M67)")
  func transient() throws {
    let model = notes(.string) {
      $0.isTransient = true
      $0.isOptional = false
    }
    try release([model])
    try check(model)
  }

  @Test("types may change without loss where the description allows it (M67)")
  func typeChanges() throws {
    try release([notes(.integer16)])
    var description = PersistentStoreDescription(type: .sqlite)
    _ = failure(.inferredMappingModel, notes(.integer32), [description])
    description.evolution.allowsLosslessTypeChanges = true
    try check(notes(.integer32), [description])
  }

  // MARK: - Faults of the folder

  @Test("a folder that is missing is told (M67)")
  func noFolder() throws {
    try ModelLock.write(Versions.model(1), to: lock)
    let error = failure(.persistentStoreOpen, Versions.model(1))
    #expect(error?.text.contains("roost lock --fixtures") == true)
  }

  @Test("a release without a fixture of a type is told (M67)")
  func missingFixture() throws {
    try release([Versions.model(1)])
    let error = failure(.persistentStoreOpen, Versions.model(1), Self.stores)
    #expect(error?.text.contains("1.lmdb is missing") == true)
    #expect(error?.text.contains("1.binary is missing") == true)
  }

  @Test("a file that is no fixture is told, a hidden one is passed over (M67)")
  func unknownFile() throws {
    try release([Versions.model(1)])
    try Data().write(to: fixtures.appending(path: ".gitattributes"))
    try check(Versions.model(1))
    try Data().write(to: fixtures.appending(path: "notes.txt"))
    let error = failure(.invalidValue, Versions.model(1))
    #expect(error?.text.contains("notes.txt") == true)
  }

  @Test(
    "what an engine leaves beside a fixture that was read is passed over, changes are told (M67)")
  func sideFiles() throws {
    try release([Versions.model(1)], Self.types)
    for name in ["1.sqlite-wal", "1.sqlite-shm", "1.lmdb-lock"] {
      try Data(repeating: 0, count: name.hasSuffix("wal") ? 0 : 8)
        .write(to: fixtures.appending(path: name))
    }
    try check(Versions.model(1), Self.stores)
    try Data("changes".utf8).write(to: fixtures.appending(path: "1.sqlite-wal"))
    let error = failure(.corruptStore, Versions.model(1), Self.stores)
    #expect(error?.text.contains("take the fixture from the last commit") == true)
  }

  @Test("a fixture of a version that the lock file does not have is told (M67)")
  func unknownVersion() throws {
    try release([Versions.model(1)])
    try FileManager.default.copyItem(
      at: fixtures.appending(path: "1.sqlite"), to: fixtures.appending(path: "0.9.sqlite"))
    let error = failure(.migrationMissingSourceModel, Versions.model(1))
    #expect(error?.text.contains("0.9.sqlite") == true)
  }

  @Test("a fixture that is of another version than its name says is told (M67)")
  func wrongVersion() throws {
    try release([Versions.model(1), Versions.model(2)])
    let (first, second) = (
      fixtures.appending(path: "1.sqlite"), fixtures.appending(path: "2.sqlite")
    )
    try FileManager.default.removeItem(at: first)
    try FileManager.default.copyItem(at: second, to: first)
    let error = failure(.persistentStoreIncompatibleVersionHash, Versions.model(2))
    #expect(error?.text.contains("1.sqlite") == true)
  }

  @Test("a damaged fixture is told, and left as it is (M67)", arguments: types)
  func damaged(type: PersistentStoreType) throws {
    let made = try release([Versions.model(1)], [type])
    let whole = try Data(contentsOf: made[0].url)
    let damages = [
      Data(), Data(repeating: 0x2A, count: 5_000), whole.prefix(min(whole.count / 2, 5_000)),
    ]
    for (number, damage) in damages.enumerated() {
      try damage.write(to: made[0].url)
      let error = #expect(throws: PersistenceError.self, "\(number)") {
        try check(Versions.model(2), [PersistentStoreDescription(type: type)])
      }
      #expect(error?.text.contains(made[0].url.lastPathComponent) == true)
      #expect(try Data(contentsOf: made[0].url) == damage)
    }
  }

  @Test("a write-protected fixture is checked (M67)")
  func readOnly() throws {
    let made = try release([Versions.model(1)])
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o400], ofItemAtPath: made[0].url.path)
    try check(Versions.model(2))
  }
}

extension PersistenceError {
  /// The message, followed by those of the underlying errors.
  fileprivate var text: String {
    ([message] + underlyingErrors.map(\.message)).joined(separator: "\n")
  }
}
