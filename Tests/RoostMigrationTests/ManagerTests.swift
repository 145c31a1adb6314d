// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization
import Testing

@testable import RoostMigration

@Suite struct ManagerTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func manager() -> MigrationManager {
    MigrationManager(sourceModel: Staff.old(), destinationModel: Staff.new())
  }

  @Test(
    "a store is made of one of another version, between all types of stores (B271, M27)",
    arguments: StoreKind.allCases, StoreKind.allCases)
  func betweenTypes(from: StoreKind, to: StoreKind) throws {
    let source = from.description("old", folder)
    let destination = to.description("new", folder)
    try Staff.fill(source, count: 20)
    let manager = manager()
    try manager.migrateStore(source, mapping: Staff.mapping(), to: destination)
    #expect(try Staff.employees(destination) == Staff.expected(20))
    #expect(
      try Staff.people(destination)["D1"] == ["P19", "P16", "P13", "P10", "P7", "P4", "P1"])
  }

  @Test("objects keep the numbers of their IDs where one entity becomes one other (M21)")
  func keys() throws {
    let source = folder.sqlite("old")
    let destination = folder.sqlite("new")
    try Staff.fill(source, count: 5)
    let before = try Staff.withStore(source, Staff.old()) { context, _ in
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map {
        (try $0.value(forKey: "name") as? String ?? "", $0.objectID.key)
      }
    }
    try manager().migrateStore(source, mapping: Staff.mapping(), to: destination)
    let after = try Staff.withStore(destination, Staff.new()) { context, _ in
      // A new record gets an unused number.
      let new = try EntityDescription.insertNewObject(forEntityName: "Employee", into: context)
      try context.obtainPermanentIDs(for: [new])
      #expect(
        !before.contains {
          RecordKey.sequence(of: $0.1) == RecordKey.sequence(of: new.objectID.key)
        })
      context.delete(new)
      return try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).map {
        (try $0.value(forKey: "fullName") as? String ?? "", $0.objectID.key)
      }
    }
    #expect(
      Dictionary(uniqueKeysWithValues: before) == Dictionary(uniqueKeysWithValues: after))
  }

  @Test("the hooks are called in Core Data's order, each mapping three times (B267, M18)")
  func hookOrder() throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 2)
    let mapping = Staff.mapping()
    for entity in mapping.entityMappings { entity.entityMigrationPolicy = Recorder.self }
    let manager = manager()
    let log = CallLog()
    manager.userInfo = ["log": log]
    try manager.migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
    #expect(
      log.calls == [
        "begin PersonToEmployee", "create PersonToEmployee", "create PersonToEmployee",
        "endCreate PersonToEmployee",
        "begin DepartmentToUnit", "create DepartmentToUnit", "create DepartmentToUnit",
        "create DepartmentToUnit", "endCreate DepartmentToUnit",
        "begin Note", "endCreate Note", "begin Log", "endCreate Log",
        "connect PersonToEmployee", "connect PersonToEmployee", "endConnect PersonToEmployee",
        "connect DepartmentToUnit", "connect DepartmentToUnit", "connect DepartmentToUnit",
        "endConnect DepartmentToUnit", "endConnect Note", "endConnect Log",
        "validate PersonToEmployee", "end PersonToEmployee",
        "validate DepartmentToUnit", "end DepartmentToUnit",
        "validate Note", "end Note", "validate Log", "end Log",
      ])
    #expect(log.isCurrentAlways)
    #expect(try Staff.employees(folder.sqlite("new")) == Staff.expected(2))
  }

  @Test("a mapping of another version's hash is refused, and none is made for it (B268, M19)")
  func wrongHash() throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 1)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].sourceEntityVersionHash = Data([1, 2, 3])
    #expect(throws: PersistenceError(.migrationMissingMappingModel, "")) {
      try manager().migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "new").path))
    mapping.entityMappings[0].sourceEntityVersionHash =
      Staff.old().entitiesByName["Person"]?.versionHash
    try manager().migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
  }

  @Test(
    "an expression that cannot be evaluated is refused before anything is made (M20)",
    arguments: [
      ("FUNCTION($entityPolicy, \"missing:\", $source.name)", 134170),
      ("FUNCTION($manager, \"delete:\", $source.name)", 134170),
      ("$source.nickname", 1), ("$source.department.title", 1), ("$other.name", 2), ("name", 2),
      ("$manager.sourceContext.name", 1), ("$source.isActive", 2),
    ])
  func badExpressions(format: String, code: Int) throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 1)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].attributeMappings?.append(
      PropertyMapping(name: "code", valueExpression: try MappingExpression(format: format)))
    let known: [Int: PersistenceError.Code] = [1: .unknownKey, 2: .invalidPredicate]
    #expect(throws: PersistenceError(known[code] ?? .init(rawValue: code), "")) {
      try manager().migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
    }
    #expect(try folder.names() == ["old"])
  }

  @Test(
    "expressions compute with constants, key paths, variables and functions of the policy (M20)")
  func expressions() throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 3)
    let cases: [(String, [String])] = [
      ("\"fixed\"", ["fixed", "fixed", "fixed"]),
      ("$source.department.name", ["D0", "D1", "D2"]),
      ("uppercase:($source.department.name)", ["D0", "D1", "D2"]),
      ("$entityMapping.name", ["PersonToEmployee", "PersonToEmployee", "PersonToEmployee"]),
      ("$propertyMapping.name", ["code", "code", "code"]),
      ("$manager.userInfo.country", ["se", "se", "se"]),
      ("FUNCTION($entityPolicy, \"join:\", $source.name, $source.age)", ["P0/0", "P1/1", "P2/2"]),
      (
        "FUNCTION($entityPolicy, \"join:\", $source.name, FUNCTION($entityPolicy, 'twice:', $source.age))",
        ["P0/0", "P1/2", "P2/4"]
      ),
      ("TERNARY($source.age > 0, $source.name, \"none\")", ["none", "P1", "P2"]),
      (
        "TERNARY($source.age == 0, \"first\", FUNCTION($entityPolicy, \"join:\", 1, $source.age))",
        ["first", "1/1", "1/2"]
      ),
      (
        "FUNCTION($entityPolicy, \"count:\", SUBQUERY($source.friends, $f, $f.age > 1))",
        ["0", "1", "0"]
      ),
    ]
    for (number, (format, expected)) in cases.enumerated() {
      let mapping = Staff.mapping()
      mapping.entityMappings[0].entityMigrationPolicy = Functions.self
      mapping.entityMappings[0].attributeMappings?.append(
        PropertyMapping(name: "code", valueExpression: try MappingExpression(format: format)))
      let manager = manager()
      manager.userInfo = ["country": "se"]
      let destination = folder.sqlite("new\(number)")
      try manager.migrateStore(source, mapping: mapping, to: destination)
      let codes = try Staff.withStore(destination, Staff.new()) { context, _ in
        let request = FetchRequest<ManagedObject>(entityName: "Employee")
        request.sortDescriptors = [SortOrdering("age")]
        return try context.fetch(request).map { try $0.value(forKey: "code") as? String ?? "-" }
      }
      #expect(codes == expected, "\(format)")
    }
  }

  @Test("a source expression says which objects are taken (M22)")
  func sourceExpression() throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 6)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].sourceExpression = try MappingExpression(
      format: "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", "
        + "\"Person\", \"age >= 4\"), $manager.sourceContext, NO)")
    try manager().migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
    #expect(try Staff.employees(folder.sqlite("new")).count == 2)
    mapping.entityMappings[0].sourceExpression = .fetch(
      entityName: "Person", where: try FetchPredicate("age < 3"))
    try manager().migrateStore(source, mapping: mapping, to: folder.sqlite("other"))
    #expect(try Staff.employees(folder.sqlite("other")).count == 3)
    mapping.entityMappings[0].sourceExpression = .fetch(
      entityName: "Department", where: try FetchPredicate("TRUEPREDICATE"))
    #expect(throws: PersistenceError(.invalidPredicate, "")) {
      try manager().migrateStore(source, mapping: mapping, to: folder.sqlite("third"))
    }
  }

  @Test("an object may become none, one or several, associated or not (B269, M21)")
  func severalDestinations() throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 9)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].entityMigrationPolicy = Splitter.self
    try manager().migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
    let found = try Staff.employees(folder.sqlite("new"))
    let names = found.map { String($0.prefix { $0 != ":" }) }.sorted()
    // For every three objects: none, one, and two plus a third that is associated with no source.
    #expect(
      names == ["P1", "P2", "P2b", "P2c", "P4", "P5", "P5b", "P5c", "P7", "P8", "P8b", "P8c"])
    let units = try Staff.people(folder.sqlite("new"))
    #expect(units["D0"] == [])
    #expect(units["D2"] == ["P8", "P8b", "P5", "P5b", "P2", "P2b"])
  }

  @Test("a policy that throws ends the migration with its error, and nothing is left (B270)")
  func throwingPolicy() throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 3)
    let mapping = Staff.mapping()
    mapping.entityMappings[1].entityMigrationPolicy = Thrower.self
    let error = #expect(throws: PersistenceError.self) {
      try manager().migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
    }
    #expect(error?.code == .entityMigrationPolicy)
    #expect(error?.underlying is Thrower.Failure)
    #expect(error?.objectIDs.count == 1)
    #expect(try folder.names() == ["old"])
  }

  @Test("a cancelled migration throws the error that it was cancelled with (B270, M25)")
  func cancelling() throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 1_200)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].entityMigrationPolicy = Canceller.self
    let manager = manager()
    let log = CallLog()
    manager.userInfo = ["log": log]
    #expect(throws: Thrower.Failure.self) {
      try manager.migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
    }
    #expect(log.calls.count == 700)
    #expect(try folder.names() == ["old"])
    // The manager can be used again.
    try manager.migrateStore(source, mapping: Staff.mapping(), to: folder.sqlite("new"))
    #expect(try Staff.employees(folder.sqlite("new")).count == 1_200)
  }

  @Test("the progress grows to 1, and objects are in memory a batch at a time (M23)")
  func memory() throws {
    let source = folder.sqlite("old")
    try Staff.fill(source, count: 3_000)
    let mapping = Staff.mapping()
    mapping.entityMappings[0].entityMigrationPolicy = Watcher.self
    let manager = manager()
    let log = CallLog()
    manager.userInfo = ["log": log]
    try manager.migrateStore(source, mapping: mapping, to: folder.sqlite("new"))
    #expect(log.progress == log.progress.sorted())
    #expect(log.progress.last.map { $0 > 0.3 } == true)
    // A batch of each side, and the destinations of relationships.
    #expect(log.most > 0)
    #expect(log.most <= 4 * MigrationRun.batchSize, "\(log.most)")
    #expect(try Staff.employees(folder.sqlite("new")).count == 3_000)
  }

  @Test("a destination that is there gets the objects besides its own, all or none (B271, M27)")
  func appending() throws {
    let source = folder.sqlite("old")
    let destination = folder.sqlite("new")
    try Staff.fill(source, count: 4)
    try manager().migrateStore(source, mapping: Staff.mapping(), to: destination)
    try manager().migrateStore(source, mapping: Staff.mapping(), to: destination)
    #expect(try Staff.employees(destination) == Staff.expected(4).flatMap { [$0, $0] })
    let mapping = Staff.mapping()
    mapping.entityMappings[1].entityMigrationPolicy = Thrower.self
    #expect(throws: PersistenceError(.entityMigrationPolicy, "")) {
      try manager().migrateStore(source, mapping: mapping, to: destination)
    }
    #expect(try Staff.employees(destination).count == 8)
  }

  @Test("a destination that an earlier migration has not finished is made anew (M50)")
  func unfinished() throws {
    let source = folder.sqlite("old")
    let destination = folder.sqlite("new")
    try Staff.fill(source, count: 4)
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: Staff.new())
    let part = try UnfinishedStore(destination, entityCodes: [:], in: coordinator).store
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    _ = try EntityDescription.insertNewObject(forEntityName: "Employee", into: context)
    try context.save()
    try coordinator.remove(part.store)
    try manager().migrateStore(source, mapping: Staff.mapping(), to: destination)
    #expect(try Staff.employees(destination) == Staff.expected(4))
  }

  @Test("stores that cannot be opened are told apart (134150, 134160)")
  func badStores() throws {
    let source = folder.sqlite("old")
    #expect(throws: PersistenceError(.migrationManagerSourceStore, "")) {
      try manager().migrateStore(source, mapping: Staff.mapping(), to: folder.sqlite("new"))
    }
    #expect(try folder.names().isEmpty)
    try Staff.fill(source, count: 1)
    #expect(throws: PersistenceError(.migrationManagerDestinationStore, "")) {
      try manager().migrateStore(source, mapping: Staff.mapping(), to: source)
    }
    try Data("no store".utf8).write(to: folder.url.appending(path: "file"))
    #expect(throws: PersistenceError(.migrationManagerDestinationStore, "")) {
      try manager().migrateStore(source, mapping: Staff.mapping(), to: folder.sqlite("file"))
    }
    #expect(try Data(contentsOf: folder.url.appending(path: "file")) == Data("no store".utf8))
    // The source has another version than the manager's model.
    let other = MigrationManager(sourceModel: Staff.new(), destinationModel: Staff.new())
    #expect(throws: PersistenceError(.migrationManagerSourceStore, "")) {
      try other.migrateStore(source, mapping: MappingModel(), to: folder.sqlite("new"))
    }
  }
}
