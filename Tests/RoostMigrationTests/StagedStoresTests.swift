// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostStore
import Testing

@testable import RoostMigration

/// Tests of stages with configurations and several stores.
@Suite struct StagedStoresTests {
  let folder: TestFolder
  let log = StageLog()

  init() throws { folder = try TestFolder() }

  /// Returns a version of ``Versions``, with people in one configuration and notes, which have two versions, in
  /// another.
  private func model(_ version: Int) throws -> ManagedObjectModel {
    let model = Versions.model(version)
    let note = EntityDescription(name: "Note")
    note.properties = (version < 3 ? ["text"] : ["text", "author"]).map {
      AttributeDescription(name: $0, type: .string)
    }
    let people = model.entities
    model.entities = people + [note]
    try model.setEntities(people, forConfigurationName: "People")
    try model.setEntities([note], forConfigurationName: "Notes")
    return model
  }

  private func reference(_ version: Int) throws -> ManagedObjectModelReference {
    let model = try model(version)
    return ManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }

  private func custom(_ from: Int, _ to: Int, failing: Bool = false) throws
    -> CustomMigrationStage
  {
    let stage = try CustomMigrationStage(migratingFrom: reference(from), to: reference(to))
    stage.label = "\(from)-\(to)"
    stage.didMigrateHandler = { [log] manager, stage in
      let configuration = manager.container?.persistentStoreDescriptions.first?.configuration
      log.calls.append(
        "\(stage.label ?? "") \(configuration ?? "-")\(manager.isRepeated ? " again" : "")")
      if failing { throw StageLog.Failure() }
    }
    return stage
  }

  private func stages(failing: Bool = false) throws -> [MigrationStage] {
    try [
      custom(1, 2, failing: failing),
      LightweightMigrationStage([2, 3].map { try model($0).versionChecksum }), custom(3, 4),
    ]
  }

  private func stores(_ kinds: [StoreKind]) -> [PersistentStoreDescription] {
    zip(["People", "Notes"], kinds).map { name, kind in
      var description = kind.description(name, folder)
      description.configuration = name
      return description
    }
  }

  private func withStores(
    _ stores: [PersistentStoreDescription], _ version: Int, _ stages: [MigrationStage]?,
    _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    let stores = stores.map { store in
      var store = store
      store.migration = stages.map { StagedMigrationManager($0) }
      return store
    }
    let container = try PersistentContainer(
      name: "Staged", model: try model(version), stores: stores)
    defer {
      for store in container.persistentStoreCoordinator.persistentStores {
        try? container.persistentStoreCoordinator.remove(store)
      }
    }
    try container.loadPersistentStores()
    try body(container.newBackgroundContext())
  }

  private func insert(
    _ entity: String, _ key: String, _ value: String, _ context: ManagedObjectContext
  )
    throws
  {
    let object = try EntityDescription.insertNewObject(forEntityName: entity, into: context)
    try object.setValue(value, forKey: key)
  }

  @Test(
    "stages of whole models lead each store of a configuration, of one type or another (M30)",
    arguments: [[StoreKind.sqlite, .lmdb], [.lmdb, .memory], [.memory, .sqlite]])
  func configurations(kinds: [StoreKind]) throws {
    let stores = stores(kinds)
    try withStores(stores, 1, nil) { context in
      try insert("Person", "name", "Ada", context)
      try insert("Note", "text", "remember", context)
      try context.save()
    }
    try withStores(stores, 4, stages()) { context in
      let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
      #expect(try notes.map { try $0.value(forKey: "text") as? String } == ["remember"])
      let count = try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
      #expect(count == 1)
    }
    #expect(log.calls == ["1-2 People", "3-4 People", "1-2 Notes", "3-4 Notes"])
    // Nothing is left to do.
    try withStores(stores, 4, stages()) { _ in }
    #expect(log.calls.count == 4)
  }

  @Test(
    "a handler that ended in one of several stores runs again there, and the others go on (M28, M30)"
  )
  func interrupted() throws {
    let stores = stores([.sqlite, .sqlite])
    try withStores(stores, 1, nil) { context in
      try insert("Person", "name", "Ada", context)
      try context.save()
    }
    let error = #expect(throws: PersistenceError.self) {
      try withStores(stores, 4, stages(failing: true)) { _ in }
    }
    #expect(error?.underlying is StageLog.Failure)
    try withStores(stores, 4, stages()) { context in
      let count = try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
      #expect(count == 1)
    }
    #expect(log.calls.filter { $0.hasPrefix("1-2 People") }.count == 2)
    #expect(log.calls.contains("1-2 People again"))
    #expect(log.calls.contains("3-4 Notes"))
  }

  @Test("a version of a configuration that no stage has is refused (134504, M29, M30)")
  func unknown() throws {
    let stores = stores([.sqlite, .sqlite])
    try withStores(stores, 1, nil) { _ in }
    #expect(throws: PersistenceError(.stagedMigrationUnknownVersion, "")) {
      try withStores(stores, 4, [try custom(2, 3), try custom(3, 4)]) { _ in }
    }
    #expect(log.calls == [])
  }
}
