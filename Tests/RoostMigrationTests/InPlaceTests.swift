// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization
import Testing

@testable import RoostMigration

@Suite struct InPlaceTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func followed(
    _ description: PersistentStoreDescription, _ mapping: MappingModel = Staff.mapping()
  ) -> PersistentStoreDescription {
    var description = description
    description.migration = MappingModels([mapping], sourceModels: [Staff.old()])
    return description
  }

  @Test(
    "an inferred mapping model that the program has changed since is followed as it is now (M18, M26)",
    arguments: ["policy", "value", "nothing"])
  func changed(_ change: String) throws {
    func model(_ isNew: Bool) -> ManagedObjectModel {
      let person = EntityDescription(name: "Person")
      let name = AttributeDescription(name: isNew ? "title" : "name", type: .string)
      name.renamingIdentifier = "name"
      person.properties = [name]
      return ManagedObjectModel(entities: [person])
    }
    let store = StoreKind.sqlite.description("store", folder)
    try Staff.withStore(store, model(false)) { context, _ in
      let entity = try #require(
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Person"])
      let ada = ManagedObject(entity: entity, insertInto: context)
      try ada.setValue("Ada", forKey: "name")
      try context.save()
    }
    let mapping = try MappingModel.inferredMappingModel(
      forSourceModel: model(false), destinationModel: model(true))
    #expect(mapping.isInferred && mapping.copy().isInferred)
    let people = try #require(mapping.entityMappings.first)
    switch change {
    case "policy": people.entityMigrationPolicy = Titler.self
    case "value":
      people.attributeMappings?.first?.valueExpression = MappingExpression(.string("Dr. Ada"))
    default: break
    }
    #expect(mapping.isInferred == (change == "nothing"))
    var next = store
    next.migration = MappingModels([mapping], sourceModels: [model(false)])
    let titles = try Staff.withStore(next, model(true)) { context, _ in
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
        .map { try $0.value(forKey: "title") as? String }
    }
    #expect(titles == [change == "nothing" ? "Ada" : "Dr. Ada"])
  }

  @Test(
    "a store follows a mapping model in its place and keeps UUID, IDs and user values (M21, M26)",
    arguments: StoreKind.allCases)
  func inPlace(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    let identifier = try Staff.fill(store, count: 10)
    let uri = try Staff.withStore(store, Staff.old()) { context, opened in
      var metadata = opened.metadata
      metadata.userValues["import"] = .string("done")
      try context.persistentStoreCoordinator?.setMetadata(metadata, for: opened)
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate("name == 'P3'")
      try context.fetch(request).first?.setValue("P3", forKey: "name")
      try context.save()
      return try context.fetch(request).first?.objectID.uriRepresentation()
    }
    let found = try Staff.withStore(followed(store), Staff.new()) { context, opened in
      #expect(opened.identity.identifier == identifier)
      #expect(opened.metadata.userValues["import"] == .string("done"))
      #expect(!opened.metadata.isUnfinishedCopy)
      let request = FetchRequest<ManagedObject>(entityName: "Employee")
      request.predicate = try FetchPredicate("fullName == 'P3'")
      let id = try #require(try context.fetch(request).first?.objectID)
      // The old URI still identifies the record, although its entity has another name now (M16).
      let old = try #require(uri)
      #expect(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: old) == id)
      return try context.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
    }
    #expect(found == 10)
    #expect(try Staff.employees(store) == Staff.expected(10))
    #expect(!(try folder.names().contains { $0.contains("migrating") }))
    // The old program finds a newer store.
    #expect(throws: PersistenceError(.persistentStoreIncompatibleVersionHash, "")) {
      try Staff.withStore(store, Staff.old()) { _, _ in }
    }
  }

  @Test(
    "a mapping model and code are refused where the disk has no room for them, and begin nothing (M51)"
  )
  func withoutRoom() throws {
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 4)
    let url = try #require(store.url)
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.url.path)
    let free = try #require(attributes[.systemFreeSize] as? NSNumber).uint64Value
    let size = try Data(contentsOf: url).count
    // The file is sparse, so it takes no disk space; SQLite uses the size in its header.
    let handle = try FileHandle(forUpdating: url)
    try handle.truncate(atOffset: free / 5 * 2)
    try handle.close()
    #expect(throws: PersistenceError(.storeFull, "")) {
      try Staff.withStore(followed(store), Staff.new()) { _, _ in }
    }
    #expect(!(try folder.names().contains { $0.contains("migrating") || $0.contains("before") }))
    // Without the backup there is enough space.
    var bare = followed(store)
    bare.evolution = .automatic.backup(.never)
    let plan = try #require(try MigrationPlan(for: bare, model: Staff.new()))
    #expect(try #require(plan.estimate.freeBytesNeeded) < Int64(free))
    let shortened = try FileHandle(forUpdating: url)
    try shortened.truncate(atOffset: UInt64(size))
    try shortened.close()
    try Staff.withStore(followed(store), Staff.new()) { _, _ in }
    #expect(try Staff.employees(store) == Staff.expected(4))
  }

  @Test("a migration that fails leaves the store as it was (B262)", arguments: StoreKind.allCases)
  func failing(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    try Staff.fill(store, count: 4)
    let mapping = Staff.mapping()
    mapping.entityMappings[1].entityMigrationPolicy = Thrower.self
    #expect(throws: PersistenceError(.entityMigrationPolicy, "")) {
      try Staff.withStore(followed(store, mapping), Staff.new()) { _, _ in }
    }
    let count = try Staff.withStore(store, Staff.old()) { context, _ in
      try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
    }
    #expect(count == 4)
    #expect(!(try folder.names().contains { $0.contains("migrating") }))
  }

  @Test(
    "what an interrupted migration has left is replaced (M50)",
    arguments: [StoreKind.sqlite, .lmdb])
  func leftovers(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    try Staff.fill(store, count: 4)
    var place = store
    let url = try #require(store.url)
    place.url = url.deletingLastPathComponent().appending(
      path: url.lastPathComponent + ".migrating")
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: Staff.new())
    let part = try UnfinishedStore(place, entityCodes: [:], in: coordinator).store
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    _ = try EntityDescription.insertNewObject(forEntityName: "Employee", into: context)
    try context.save()
    try coordinator.remove(part.store)
    // The incomplete copy is not accepted as a store.
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      try Staff.withStore(place, Staff.new()) { _, _ in }
    }
    try Staff.withStore(followed(store), Staff.new()) { _, _ in }
    #expect(try Staff.employees(store) == Staff.expected(4))
  }

  @Test(
    "a store that decides about a save others have not finished is not replaced (X7)",
    arguments: [StoreKind.sqlite, .lmdb])
  func decisions(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    try Staff.fill(store, count: 4)
    let (coordinator, participant) = (UUID(), UUID().uuidString)
    let save = try Staff.withStore(store, Staff.old()) { _, opened in
      let preparation = try #require(opened.preparation)
      let ticket = SaveTicket(
        coordinator: coordinator,
        decider: .init(identifier: opened.identity.identifier, name: "store"),
        participants: [participant], startedAt: 1)
      try preparation.register(coordinator)
      _ = try preparation.decide(StoreChangeSet(), for: ticket, forgetting: [])
      return ticket.id
    }
    let error = #expect(throws: PersistenceError.self) {
      try Staff.withStore(followed(store), Staff.new()) { _, _ in }
    }
    #expect(error?.code == .saveInDoubt)
    #expect(error?.message.contains(participant) == true)
    try Staff.withStore(store, Staff.old()) { _, opened in
      let preparation = try #require(opened.preparation)
      #expect(try preparation.decisions().map(\.ticket.id) == [save])
      try preparation.forget([SaveAcknowledgement(save: save, participant: participant)])
    }
    try Staff.withStore(followed(store), Staff.new()) { _, _ in }
    #expect(try Staff.employees(store) == Staff.expected(4))
  }

  @Test("a copy of the old file is kept until the store was opened again (M35)")
  func backup() throws {
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 2)
    try Staff.withStore(followed(store), Staff.new()) { _, _ in }
    #expect(try folder.names().contains { $0.hasPrefix("store.before-") })
    try Staff.withStore(followed(store), Staff.new()) { _, _ in }
    #expect(try folder.names() == ["store"])
  }

  @Test("one process at a time migrates a file (M33)")
  func lock() throws {
    var store = folder.sqlite("store")
    try Staff.fill(store, count: 2)
    store.timeout = 0.1
    let lock = try MigrationLock(try #require(store.url), timeout: 1)
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try Staff.withStore(followed(store), Staff.new()) { _, _ in }
    }
    withExtendedLifetime(lock) {}
  }

  @Test("several open a store at once: one migrates it, and all get it (M33)")
  func together() throws {
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 50)
    let description = followed(store)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        try Staff.withStore(description, Staff.new()) { context, _ in
          let count = try context.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
          if count != 50 { failures.withLock { $0.append("\(count) employees") } }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try Staff.employees(store) == Staff.expected(50))
  }

  @Test("a store that is open elsewhere is not replaced (M33)")
  func openElsewhere() throws {
    var store = folder.sqlite("store")
    try Staff.fill(store, count: 2)
    store.timeout = 0.1
    let found = try Staff.withStore(store, Staff.old()) { context, _ in
      #expect(throws: PersistenceError(.storeBusy, "")) {
        try Staff.withStore(followed(store), Staff.new()) { _, _ in }
      }
      return try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
    }
    #expect(found == 2)
  }

  @Test("a progress that is cancelled ends the migration, and the store is as it was (M25)")
  func cancelled() throws {
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 600)
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: Staff.new())
    coordinator.migrations.observe { progress in
      if progress.completed > 0 { throw CancellationError() }
    }
    #expect(throws: PersistenceError(.migrationCancelled, "")) {
      try coordinator.addPersistentStore(with: followed(store))
    }
    let count = try Staff.withStore(store, Staff.old()) { context, _ in
      try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
    }
    #expect(count == 600)
    #expect(try folder.names() == ["store"])
  }

  @Test("without a mapping model that fits, and without inference, there is an error (134140, M2)")
  func noMapping() throws {
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 1)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].destinationEntityVersionHash = Data([1])
    var description = followed(store, mapping)
    description.shouldInferMappingModelAutomatically = false
    #expect(throws: PersistenceError(.migrationMissingMappingModel, "")) {
      try Staff.withStore(description, Staff.new()) { _, _ in }
    }
  }

  @Test("all failures of the validation are told together, and nothing is switched (B153, M24)")
  func validation() throws {
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 5)
    let model = Staff.new()
    let employee = try #require(model.entitiesByName["Employee"])
    let code = try #require(employee.attributesByName["code"])
    code.isOptional = false
    try #require(employee.relationshipsByName["friends"]).minCount = 1
    try #require(employee.relationshipsByName["friends"]).isOptional = false
    let mapping = Staff.mapping()
    mapping.entityMappings[1].entityMigrationPolicy = Judge.self
    let error = #expect(throws: PersistenceError.self) {
      try Staff.withStore(followed(store, mapping), model) { _, _ in }
    }
    #expect(error?.code == .validationMultipleErrors)
    let codes = (error?.underlyingErrors ?? []).map(\.code)
    // Five objects without a code, one without a friend, and the error of the policy.
    #expect(codes.count { $0 == .validationMissingMandatoryProperty } == 6)
    #expect(codes.count { $0 == .entityMigrationPolicy } == 1)
    #expect(error?.objectIDs.isEmpty == false)
    try Staff.withStore(store, Staff.old()) { _, _ in }
  }

  @Test("records that break a new constraint are told as such (B199)")
  func constraint() throws {
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 5)
    let model = Staff.new()
    model.entitiesByName["Employee"]?.uniquenessConstraints = [["isActive"]]
    #expect(throws: PersistenceError(.migrationConstraintViolation, "")) {
      try Staff.withStore(followed(store), model) { _, _ in }
    }
    try Staff.withStore(store, Staff.old()) { _, _ in }
  }
}

/// A policy whose validation always fails.
final class Judge: EntityMigrationPolicy {
  override func performCustomValidation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {
    throw Thrower.Failure()
  }
}

/// Gives each object a title.
private final class Titler: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    let made = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [source])
    let name = try source.value(forKey: "name") as? String ?? ""
    try made.first?.setValue("Dr. " + name, forKey: "title")
  }
}
