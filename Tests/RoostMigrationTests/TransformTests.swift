// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Testing

@testable import RoostMigration

@Suite struct TransformTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func described(
    _ store: PersistentStoreDescription, _ transforms: [EntityTransform],
    from versions: [ManagedObjectModel] = []
  ) -> PersistentStoreDescription {
    var description = store
    description.migration = CustomMigration(transforms, from: versions)
    return description
  }

  /// Checks that the store has the records of the old version.
  private func expectUntouched(_ store: PersistentStoreDescription, _ count: Int) throws {
    let found = try Staff.withStore(store, Citizens.old()) { context, _ in
      try context.count(for: FetchRequest<ManagedObject>(entityName: "Citizen"))
    }
    #expect(found == count)
    #expect(!(try folder.names().contains { $0.contains("migrating") }))
  }

  @Test(
    "a transform splits, converts, drops and adds, and everything else is inferred (M21, M23)",
    arguments: StoreKind.allCases)
  func transform(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    let count = kind == .sqlite ? 600 : 40
    let uris = try Citizens.fill(store, count: count)
    try Staff.withStore(described(store, [Citizens.transform()]), Citizens.new()) { context, _ in
      let lines = try Citizens.lines(context)
      #expect(lines == Citizens.expected(count))
      let coordinator = try #require(context.persistentStoreCoordinator)
      let id = try #require(coordinator.managedObjectID(forURIRepresentation: uris[3]))
      #expect(try (context.existingObject(with: id) as? Citizen)?.firstName == "F3")
      let gone = try #require(coordinator.managedObjectID(forURIRepresentation: uris[9]))
      #expect(throws: PersistenceError.self) { try context.existingObject(with: gone) }
      let clubs: FetchRequest<Club> = Club.fetchRequest()
      let members = try context.fetch(clubs).map { $0.members.count }
      #expect(members.reduce(0, +) == count * 9 / 10)
      let request: FetchRequest<Home> = Home.fetchRequest()
      let homes = try context.fetch(request)
      #expect(homes.count == count / 2)
      #expect(homes.allSatisfy { $0.citizen != nil })
      // New records get numbers that were never used.
      #expect(Set(homes.map(\.objectID)).count == homes.count)
    }
    // Nothing is left to migrate, and the transform is not called.
    let calls = CallCount()
    let again = described(store, [Citizens.transform(calls: calls)])
    try Staff.withStore(again, Citizens.new()) { context, _ in
      let lines = try Citizens.lines(context)
      #expect(lines == Citizens.expected(count))
    }
    #expect(calls.value == 0)
  }

  @Test(
    "what a transform throws passes through, and the store is as it was (B262)",
    arguments: StoreKind.allCases)
  func throwing(kind: StoreKind) throws {
    struct Failure: Error {}
    let store = kind.description("store", folder)
    _ = try Citizens.fill(store, count: 20)
    let failing = EntityTransform(
      "Citizen", to: Citizen.self, setting: ["firstName", "age", "club"]
    ) { old, _, _ in
      if try old["name"] == "F7 L7" { throw Failure() }
    }
    #expect(throws: Failure.self) {
      try Staff.withStore(described(store, [failing]), Citizens.new()) { _, _ in }
    }
    try expectUntouched(store, 20)
  }

  @Test("names that the models do not have are told before a record is read")
  func unknownNames() throws {
    let store = folder.sqlite("store")
    _ = try Citizens.fill(store, count: 2)
    let calls = CallCount()
    let plain: EntityTransform.Body<ManagedObject> = { _, _, _ in calls.add() }
    let missing = [["firstName", "age"], ["firstName", "club"], ["age", "club"]].map {
      (
        PersistenceError.Code.inferredMappingModel,
        [Citizens.transform(setting: Set($0), calls: calls)]
      )
    }
    let bad: [(PersistenceError.Code, [EntityTransform])] = [
      (.unknownEntity, [EntityTransform("Ghost", toEntity: "Citizen", plain)]),
      (.unknownEntity, [EntityTransform("Citizen", toEntity: "Ghost", plain)]),
      (.unknownEntity, [EntityTransform("Citizen", to: ManagedObject.self, plain)]),
      (.unknownKey, [Citizens.transform(replacing: ["nam"], calls: calls)]),
      (.unknownKey, [Citizens.transform(setting: ["firstNam"], calls: calls)]),
      (
        .migrationMissingMappingModel,
        [Citizens.transform(calls: calls), Citizens.transform(calls: calls)]
      ),
    ]
    // A property that no transform sets cannot be inferred.
    for (code, transforms) in bad + missing {
      #expect(throws: PersistenceError(code, "")) {
        try Staff.withStore(described(store, transforms), Citizens.new()) { _, _ in }
      }
    }
    #expect(calls.value == 0)
    try expectUntouched(store, 2)
  }

  @Test("reading what the old version does not have, or as another type, is told with the record")
  func wrongReads() throws {
    let store = folder.sqlite("store")
    _ = try Citizens.fill(store, count: 2)
    let bad: [(PersistenceError.Code, String, EntityTransform.Body<Citizen>)] = [
      (.unknownKey, "nam", { old, _, _ in _ = try old["nam"] as String? }),
      (.unknownKey, "club", { old, _, _ in _ = try old["club"] as String? }),
      (.invalidValue, "age", { old, _, _ in _ = try old["age"] as Int32? }),
      (.unknownKey, "club", { old, _, _ in _ = try old.record("club") }),
      (.unknownKey, "name", { old, _, _ in _ = try old.records("name") }),
    ]
    for (code, key, body) in bad {
      let transform = EntityTransform(
        "Citizen", to: Citizen.self, setting: ["firstName", "age", "club"], body)
      let error = #expect(throws: PersistenceError.self) {
        try Staff.withStore(described(store, [transform]), Citizens.new()) { _, _ in }
      }
      #expect(error?.code == code)
      #expect(error?.key == key)
      #expect(error?.objectIDs.count == 1)
    }
    try expectUntouched(store, 2)
  }

  @Test("an object that breaks a rule of the new model ends the migration (M24)")
  func validation() throws {
    let store = folder.sqlite("store")
    _ = try Citizens.fill(store, count: 3)
    let lazy = EntityTransform("Citizen", to: Citizen.self, setting: ["firstName", "age", "club"]) {
      _, _, _ in
    }
    let error = #expect(throws: PersistenceError.self) {
      try Staff.withStore(described(store, [lazy]), Citizens.new()) { _, _ in }
    }
    #expect(error?.code == .validationMultipleErrors)
    #expect(error?.underlyingErrors.count == 3)
    try expectUntouched(store, 3)
  }

  @Test("transforms are for the versions that are named, others are inferred (M7)")
  func versions() throws {
    let store = folder.sqlite("store")
    _ = try Citizens.fill(store, count: 3)
    let calls = CallCount()
    let model = Citizens.old()
    model.entitiesByName["Citizen"]?.properties.append(
      AttributeDescription(name: "more", type: .string))
    let other = described(store, [Citizens.transform(calls: calls)], from: [try Citizens.new()])
    try Staff.withStore(other, model) { _, _ in }
    #expect(calls.value == 0)
    let named = described(
      store, [Citizens.transform(calls: calls)], from: [Citizens.old(), model.copy()])
    try Staff.withStore(named, Citizens.new()) { context, _ in
      let lines = try Citizens.lines(context)
      #expect(lines == Citizens.expected(3))
    }
    #expect(calls.value == 3)
  }

  @Test("values that a transform takes over are not lost, others are (M17)")
  func losses() throws {
    let store = folder.sqlite("store")
    _ = try Citizens.fill(store, count: 3)
    var description = described(store, [Citizens.transform(replacing: ["name"])])
    description.evolution = .automatic.allowLoss(false)
    let error = #expect(throws: PersistenceError.self) {
      try Staff.withStore(description, Citizens.new()) { _, _ in }
    }
    #expect(error?.code == .migration)
    #expect(error?.message.contains("street") == true, "\(error?.message ?? "")")
    description.migration = CustomMigration([Citizens.transform()])
    try Staff.withStore(description, Citizens.new()) { context, _ in
      let lines = try Citizens.lines(context)
      #expect(lines == Citizens.expected(3))
    }
  }

  @Test("objects of one entity become those of another one, beside what is inferred")
  func otherEntity() throws {
    let store = folder.sqlite("store")
    _ = try Citizens.fill(store, count: 4)
    let clubs = EntityTransform("Club", to: Home.self) { old, new, _ in
      new.street = try old["title"] ?? ""
    }
    try Staff.withStore(described(store, [Citizens.transform(), clubs]), Citizens.new()) {
      context, _ in
      let lines = try Citizens.lines(context)
      #expect(lines == Citizens.expected(4))
      let request: FetchRequest<Home> = Home.fetchRequest()
      let streets = try context.fetch(request).map { $0.street }
      #expect(streets.sorted() == ["C0", "C1", "C2", "S0", "S2"])
    }
  }

  @Test("a custom migration is cancelled, and the store is as it was (M25)")
  func cancelled() throws {
    let store = folder.sqlite("store")
    _ = try Citizens.fill(store, count: 600)
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: Citizens.new())
    coordinator.migrations.observe { progress in
      if progress.completed > 0 { throw CancellationError() }
    }
    #expect(throws: PersistenceError(.migrationCancelled, "")) {
      try coordinator.addPersistentStore(with: described(store, [Citizens.transform()]))
    }
    try expectUntouched(store, 600)
  }
}
