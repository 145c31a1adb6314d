// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Testing

@testable import RoostMigration

/// Tests that a migration by a mapping model loses no data and leaves no files.
@Suite struct MappingSafetyTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func followed(
    _ description: PersistentStoreDescription, _ mapping: MappingModel
  ) -> PersistentStoreDescription {
    var description = description
    description.migration = MappingModels([mapping])
    return description
  }

  private func model(
    _ name: String, _ properties: [PropertyDescription],
    _ edit: (EntityDescription) -> [EntityDescription] = { [$0] }
  ) -> ManagedObjectModel {
    let entity = EntityDescription(name: name)
    entity.properties = properties
    return ManagedObjectModel(entities: edit(entity))
  }

  private func count(
    _ entity: String, _ store: PersistentStoreDescription, _ model: ManagedObjectModel
  ) throws -> Int {
    try Staff.withStore(store, model) { context, _ in
      try context.count(for: FetchRequest<ManagedObject>(entityName: entity))
    }
  }

  @Test(
    "a mapping model that names a property that is not there is refused, and nothing is inferred (M20)",
    arguments: StoreKind.allCases)
  func wrongName(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    try Staff.fill(store, count: 3)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].attributeMappings?[0].valueExpression = .source("nmae")
    #expect(throws: PersistenceError(.unknownKey, "")) {
      try Staff.withStore(followed(store, mapping), Staff.new()) { _, _ in }
    }
    #expect(try count("Person", store, Staff.old()) == 3)
  }

  /// Returns a model of people with a friend that may be in another store.
  private func people(_ second: String) -> ManagedObjectModel {
    let person = EntityDescription(name: "Person")
    let friend = RelationshipDescription(name: "friend", destination: person, maxCount: 1)
    friend.mayCrossStores = true
    person.properties = [AttributeDescription(name: second, type: .string), friend]
    return ManagedObjectModel(entities: [person])
  }

  @Test(
    "a store that refers to others is not migrated by a mapping model, and stays as it is (X41)",
    arguments: StoreKind.allCases)
  func references(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: people("name"))
    let own = try coordinator.addPersistentStore(with: store)
    let other = try coordinator.addPersistentStore(with: kind.description("other", folder))
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    let ann = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
    let bob = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
    try context.assign(ann, to: own)
    try context.assign(bob, to: other)
    try ann.setValue(bob, forKey: "friend")
    try context.save()
    let mapping = EntityMapping(from: "Person", to: "Person")
    mapping.attributeMappings = [PropertyMapping(name: "title", valueExpression: .source("name"))]
    mapping.relationshipMappings = [
      PropertyMapping(name: "friend", valueExpression: .destinations(of: "friend"))
    ]
    let description = followed(store, MappingModel(entityMappings: [mapping]))
    try coordinator.remove(own)
    let error = try #require(throws: PersistenceError.self) {
      try Staff.withStore(description, people("title")) { _, _ in }
    }
    #expect(error.description.contains("lead into other stores"), "\(error)")
    // Without the reference to another store the migration succeeds.
    try Staff.withStore(store, people("name")) { context, _ in
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      for person in try context.fetch(request) { try person.setValue(nil, forKey: "friend") }
      try context.save()
    }
    #expect(try count("Person", description, people("title")) == 1)
    try coordinator.remove(other)
  }

  @Test("the URIs of all earlier names of an entity lead to its records (M16)")
  func formerNames() throws {
    let store = folder.sqlite("store")
    let name = { AttributeDescription(name: "name", type: .string) }
    let first = model("Person", [name()])
    let uri = try Staff.withStore(store, first) { context, _ in
      let person = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
      try context.save()
      return person.objectID.uriRepresentation()
    }
    let second = model("Human", [name()])
    second.entities[0].renamingIdentifier = "Person"
    #expect(try count("Human", store, second) == 1)
    let mapping = EntityMapping(from: "Human", to: "Being")
    mapping.attributeMappings = [PropertyMapping(name: "name", valueExpression: .source("name"))]
    let third = model("Being", [name()])
    try Staff.withStore(followed(store, MappingModel(entityMappings: [mapping])), third) {
      context, _ in
      let being = try context.fetch(FetchRequest<ManagedObject>(entityName: "Being")).first
      let coordinator = context.persistentStoreCoordinator
      #expect(being != nil)
      #expect(coordinator?.managedObjectID(forURIRepresentation: uri) == being?.objectID)
    }
  }

  @Test(
    "a store goes on keeping a history after a mapping model; it begins anew (H10, H16)",
    arguments: StoreKind.allCases)
  func history(kind: StoreKind) throws {
    var store = kind.description("store", folder)
    try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
    try Staff.fill(store, count: 3)
    func token(_ context: ManagedObjectContext) throws -> PersistentHistoryToken {
      try #require(
        try context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil))
    }
    let old = try Staff.withStore(store, Staff.old()) { context, _ in try token(context) }
    // An enabled history stays enabled.
    store.options[StoreOption.historyTracking] = nil
    try Staff.withStore(followed(store, Staff.mapping()), Staff.new()) { context, _ in
      func count(after token: PersistentHistoryToken) throws -> Int {
        try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token)).count
      }
      #expect(throws: PersistenceError(.persistentHistoryTokenExpired, "")) {
        try count(after: old)
      }
      let new = try token(context)
      let employee = try #require(
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).first)
      context.delete(employee)
      try context.save()
      #expect(try count(after: new) == 1)
    }
  }

  @Test("an object that was made of several is connected once (M18)")
  func sharedDestination() throws {
    let store = folder.sqlite("old")
    try Staff.fill(store, count: 6)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].entityMigrationPolicy = Uniter.self
    let manager = MigrationManager(sourceModel: Staff.old(), destinationModel: Staff.new())
    let log = CallLog()
    manager.userInfo = ["log": log]
    try manager.migrateStore(store, mapping: mapping, to: folder.sqlite("new"))
    #expect(log.calls.count == 2)
    #expect(try count("Employee", folder.sqlite("new"), Staff.new()) == 2)
  }

  @Test("a policy makes objects of the subentities of an abstract destination (B269)")
  func abstractDestination() throws {
    let store = folder.sqlite("old")
    let legs = { AttributeDescription(name: "legs", type: .integer32) }
    let old = model("Pet", [legs()])
    try Staff.withStore(store, old) { context, _ in
      for count in [4, 2, 4] {
        let pet = try EntityDescription.insertNewObject(forEntityName: "Pet", into: context)
        try pet.setValue(count, forKey: "legs")
      }
      try context.save()
    }
    let new = model("Animal", [legs()]) { animal in
      animal.isAbstract = true
      let (dog, bird) = (EntityDescription(name: "Dog"), EntityDescription(name: "Bird"))
      animal.subentities = [dog, bird]
      return [animal, dog, bird]
    }
    let mapping = EntityMapping(from: "Pet", to: "Animal")
    mapping.entityMigrationPolicy = Sorter.self
    let manager = MigrationManager(sourceModel: old, destinationModel: new)
    try manager.migrateStore(
      store, mapping: MappingModel(entityMappings: [mapping]), to: folder.sqlite("new"))
    #expect(try count("Dog", folder.sqlite("new"), new) == 2)
    #expect(try count("Bird", folder.sqlite("new"), new) == 1)
  }

  @Test(
    "an inferred mapping model that is carried out object by object gives demanded values their default (M9, M26)"
  )
  func demandedDefault() throws {
    let store = folder.sqlite("old")
    let old = model("Thing", [AttributeDescription(name: "size", type: .integer64)])
    try Staff.withStore(store, old) { context, _ in
      for size in [nil, 3] as [Int?] {
        let thing = try EntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        try thing.setValue(size, forKey: "size")
      }
      try context.save()
    }
    let size = AttributeDescription(name: "size", type: .integer64)
    size.isOptional = false
    size.defaultValue = 9
    let new = model("Thing", [size])
    let mapping = try MappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    let manager = MigrationManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = false
    try manager.migrateStore(store, mapping: mapping, to: folder.lmdb("new"))
    let sizes = try Staff.withStore(folder.lmdb("new"), new) { context, _ in
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing")).map {
        try $0.value(forKey: "size") as? Int ?? -1
      }.sorted()
    }
    #expect(sizes == [3, 9])
  }

  // MARK: - Copies and other files

  /// Returns the names of all files except SQLite's WAL and its index, which remain if the last connection was
  /// read-only.
  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
      .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
  }

  @Test(
    "a migration that fails leaves no copy, and nothing else (M51)",
    arguments: [StoreKind.sqlite, .lmdb])
  func nothingAfterFailure(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    try Staff.fill(store, count: 3)
    let before = try files()
    let mapping = Staff.mapping()
    mapping.entityMappings[1].entityMigrationPolicy = Thrower.self
    #expect(throws: PersistenceError(.entityMigrationPolicy, "")) {
      try Staff.withStore(followed(store, mapping), Staff.new()) { _, _ in }
    }
    #expect(try files() == before)
  }

  @Test(
    "of the copies of earlier versions the last one is kept, and nothing else stands beside the store (M35)",
    arguments: [StoreKind.sqlite, .lmdb])
  func lastCopy(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    func version(_ types: [AttributeType]) -> ManagedObjectModel {
      let attributes = types.enumerated().map { number, type in
        let attribute = AttributeDescription(name: "a\(number)", type: type)
        attribute.isOptional = false
        attribute.defaultValue = 1
        return attribute
      }
      return model("Thing", attributes)
    }
    // Each version makes an optional attribute mandatory, so that records are written.
    let first = model(
      "Thing", ["a0", "a1"].map { AttributeDescription(name: $0, type: .integer64) })
    try Staff.withStore(store, first) { context, _ in
      _ = try EntityDescription.insertNewObject(forEntityName: "Thing", into: context)
      try context.save()
    }
    let second = version([.integer64])
    second.entities[0].properties.append(AttributeDescription(name: "a1", type: .integer64))
    // Two migrations in a row, without an opening between them that finds nothing to do.
    #expect(try count("Thing", store, second) == 1)
    #expect(try count("Thing", store, version([.integer64, .integer64])) == 1)
    let url = try #require(store.url)
    let copies = try files().filter { $0.hasPrefix(url.lastPathComponent + ".before-") }
    #expect(copies.count == 1, "\(copies)")
    #expect(try count("Thing", store, version([.integer64, .integer64])) == 1)
    let left = try files().filter { $0 != url.lastPathComponent }
    #expect(left.allSatisfy { $0 == url.lastPathComponent + "-lock" }, "\(left)")
  }

  @Test("several open a store in memory at once: one migrates it, and all get it (M33)")
  func together() throws {
    let store = StoreKind.memory.description("store", folder)
    try Staff.fill(store, count: 20)
    // In-memory stores that are open at once use one instance of the model.
    let model = Staff.new()
    _ = try PersistentStoreCoordinator(managedObjectModel: model)
    let counts = Staff.counts(of: followed(store, Staff.mapping()), model, openings: 4)
    #expect(counts == [20, 20, 20, 20])
  }
}

/// Merges all objects with an even age into one, and the others into another one.
private final class Uniter: EntityMigrationPolicy {
  private var made: [Bool: ManagedObject] = [:]

  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let isEven = (try sInstance.value(forKey: "age") as? Int ?? 0).isMultiple(of: 2)
    if let known = made[isEven] {
      return manager.associate(
        sourceInstance: sInstance, withDestinationInstance: known, for: mapping)
    }
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    made[isEven] =
      manager.destinationInstances(
        forEntityMappingName: mapping.name, sourceInstances: [sInstance]
      ).first
  }

  override func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    manager.log?.calls.append("connect")
  }
}

/// Turns objects with four legs into dogs, and the others into birds.
private final class Sorter: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let legs = try sInstance.value(forKey: "legs") as? Int ?? 0
    let animal = try EntityDescription.insertNewObject(
      forEntityName: legs == 4 ? "Dog" : "Bird", into: manager.destinationContext)
    try animal.setValue(legs, forKey: "legs")
    manager.associate(sourceInstance: sInstance, withDestinationInstance: animal, for: mapping)
  }
}
