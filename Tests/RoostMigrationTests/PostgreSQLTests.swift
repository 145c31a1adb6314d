// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostObjects
import RoostStore
import Synchronization
import Testing

@testable import RoostMigration
@testable import RoostPostgreSQL

@Suite(
  "Migrations of PostgreSQL stores",
  .enabled(if: TestDatabase.uri != nil || TestDatabase.isRequired, "there is no PostgreSQL server"))
struct PostgreSQLTests {
  /// Runs a body with a store in a new schema; on a permanent server the next run removes the schema.
  private func withSchema(_ body: (PersistentStoreDescription) throws -> Void) throws {
    let name = "migration_" + UUID().uuidString.prefix(8).lowercased()
    let store = try PersistentStoreDescription.postgresql(
      #require(TestDatabase.uri), schema: name)
    defer { try? store.type.driver.destroy(store) }
    try body(store)
  }

  @Test(
    "a schema follows a mapping model by way of a second one, and keeps UUID and IDs (M21, M26)")
  func inPlace() throws {
    try withSchema { store in
      let identifier = try Staff.fill(store, count: 10)
      var description = store
      description.migration = MappingModels([Staff.mapping()], sourceModels: [Staff.old()])
      try Staff.withStore(description, Staff.new()) { _, opened in
        #expect(opened.identity.identifier == identifier)
      }
      #expect(try Staff.employees(store) == Staff.expected(10))
      let driver = try #require(store.type.driver as? any StagingLocationDriver)
      #expect(try store.type.driver.metadata(of: driver.secondPlace(of: store)) == nil)
    }
  }

  @Test("several open a schema at once: one migrates it, and all get it (M33)")
  func together() throws {
    try withSchema { store in
      try Staff.fill(store, count: 50)
      var description = store
      description.migration = MappingModels([Staff.mapping()], sourceModels: [Staff.old()])
      #expect(Staff.counts(of: description, openings: 3) == [50, 50, 50])
      #expect(try Staff.employees(store) == Staff.expected(50))
    }
  }

  @Test(
    "what others save before the schema is replaced is not lost: the migration is refused (M25)")
  func savedMeanwhile() throws {
    try withSchema { store in
      try Staff.fill(store, count: 3)
      let driver = try #require(store.type.driver as? any StagingLocationDriver)
      let place = try driver.secondPlace(of: store)
      try Staff.fill(place, count: 1)
      let mark = try Staff.withStore(store, Staff.old()) { context, opened in
        let mark = try opened.changeMarks?.changeMark()
        _ = try EntityDescription.insertNewObject(forEntityName: "Note", into: context)
        try context.save()
        return mark
      }
      #expect(try !driver.replace(store, with: place, ifUnchangedSince: try #require(mark)))
      let notes = try Staff.withStore(store, Staff.old()) { context, _ in
        try context.count(for: FetchRequest<ManagedObject>(entityName: "Note"))
      }
      #expect(notes == 2)
      try store.type.driver.destroy(place)
    }
  }

  @Test("a migration that fails leaves the schema as it was (B262)")
  func failing() throws {
    try withSchema { store in
      try Staff.fill(store, count: 3)
      let mapping = Staff.mapping()
      mapping.entityMappings[1].entityMigrationPolicy = Thrower.self
      var description = store
      description.migration = MappingModels([mapping], sourceModels: [Staff.old()])
      #expect(throws: PersistenceError(.entityMigrationPolicy, "")) {
        try Staff.withStore(description, Staff.new()) { _, _ in }
      }
      let count = try Staff.withStore(store, Staff.old()) { context, _ in
        try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
      }
      #expect(count == 3)
      let driver = try #require(store.type.driver as? any StagingLocationDriver)
      #expect(try store.type.driver.metadata(of: driver.secondPlace(of: store)) == nil)
    }
  }

  @Test(
    "a migration whose lock ends with its connection is refused, and the schema is as it was (M33)")
  func lostLock() throws {
    try withSchema { store in
      try Staff.fill(store, count: 3)
      let mapping = Staff.mapping()
      mapping.entityMappings[1].entityMigrationPolicy = LockBreaker.self
      LockBreaker.breakLock.withLock { $0.body = { try Self.endMigrators(of: store) } }
      var description = store
      description.migration = MappingModels([mapping], sourceModels: [Staff.old()])
      let error = #expect(throws: PersistenceError.self) {
        try Staff.withStore(description, Staff.new()) { _, _ in }
      }
      #expect(error?.code == .storeBusy, "\(String(describing: error))")
      #expect(error?.message.contains("nothing more was changed") == true)
      let count = try Staff.withStore(store, Staff.old()) { context, _ in
        try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
      }
      #expect(count == 3)
      description.migration = MappingModels([Staff.mapping()], sourceModels: [Staff.old()])
      try Staff.withStore(description, Staff.new()) { _, _ in }
      #expect(try Staff.employees(store) == Staff.expected(3))
    }
  }

  /// Terminates the sessions that hold the migration lock of a store.
  private static func endMigrators(of store: PersistentStoreDescription) throws {
    let driver = try #require(store.type.driver as? PostgreSQLDriver)
    let connection = try PostgreSQLDriver.connect(driver.settings(store), store)
    let ended = try connection.run(
      .once(
        """
        SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND granted \
        AND CAST(classid AS bigint) = \(PostgreSQLNamespace.migratingLockSpace) \
        AND CAST(objid AS bigint) = \
        (CAST(hashtext('\(connection.namespace.schema)') AS bigint) & 4294967295)
        """))
    try #require(ended.count == 1 && ended.isTrue())
  }

  @Test("a file becomes a schema, and a schema a file (B271, M27)")
  func between() throws {
    let folder = try TestFolder()
    try withSchema { store in
      let file = folder.sqlite("old")
      try Staff.fill(file, count: 12)
      let manager = MigrationManager(sourceModel: Staff.old(), destinationModel: Staff.new())
      try manager.migrateStore(file, mapping: Staff.mapping(), to: store)
      #expect(try Staff.employees(store) == Staff.expected(12))
    }
    try withSchema { store in
      try Staff.fill(store, count: 12)
      let manager = MigrationManager(sourceModel: Staff.old(), destinationModel: Staff.new())
      try manager.migrateStore(store, mapping: Staff.mapping(), to: folder.sqlite("new"))
      #expect(try Staff.employees(folder.sqlite("new")) == Staff.expected(12))
    }
  }
}
