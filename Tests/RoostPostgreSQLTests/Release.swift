// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostCoordinator
@testable import RoostPostgreSQL

/// A program with one version of the model, which has a store open.
final class Release {
  let coordinator: PersistentStoreCoordinator
  let store: any PersistentStore
  private var isOpen = true

  init(
    _ version: TestModel, _ description: PersistentStoreDescription,
    _ policy: EvolutionPolicy = .automatic, stoppingAt report: Int? = nil,
    atFirstReport body: (@Sendable () throws -> Void)? = nil
  ) throws {
    var description = description
    description.evolution = policy
    coordinator = try PersistentStoreCoordinator(managedObjectModel: version.model)
    if let report {
      let counter = Counter()
      coordinator.migrations.observe { _ in
        if counter.next() == report { throw PersistenceError(.migrationCancelled, "Enough.") }
      }
    }
    if let body {
      let counter = Counter()
      coordinator.migrations.observe { _ in
        if counter.next() == 1 { try body() }
      }
    }
    store = try coordinator.addPersistentStore(with: description)
  }

  deinit {
    try? close()
  }

  func close() throws {
    guard isOpen else { return }
    isOpen = false
    try coordinator.remove(store)
  }

  var checksum: String { store.metadata.versionChecksum }

  /// Sets a value in the store's metadata, and saves it with an object of an entity.
  func note(_ key: String, _ value: Int64, with entity: String) throws {
    var metadata = store.metadata
    metadata.userValues[key] = .integer(value)
    try coordinator.setMetadata(metadata, for: store)
    try insert(entity)
  }

  /// Drops all cached rows, so that the next request reads the store.
  func forgetRows() { coordinator.forgetRows() }

  func context() -> ManagedObjectContext {
    ManagedObjectContext(.privateQueue, coordinator: coordinator)
  }

  /// Saves a new object.
  @discardableResult
  func insert(_ entity: String, _ values: [String: any Sendable] = [:]) throws -> ObjectID {
    let context = context()
    let object = try EntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (name, value) in values { try object.setValue(value, forKey: name) }
    try context.save()
    return object.objectID
  }

  /// Changes the objects of an entity that have a value.
  func change(
    _ entity: String, _ name: String, _ value: String, _ body: (ManagedObject) throws -> Void
  ) throws {
    let context = context()
    let request = FetchRequest<ManagedObject>(entityName: entity)
    request.predicate = try FetchPredicate("\(name) == %@", value)
    for object in try context.fetch(request) { try body(object) }
    try context.save()
  }

  /// Sets a value of all objects, without reading them.
  func update(_ entity: String, _ name: String, _ value: any Sendable) throws {
    let request = BatchUpdateRequest(entityName: entity)
    request.propertiesToUpdate = [name: value]
    _ = try context().execute(request)
  }

  func delete(_ entity: String, _ name: String, _ value: String) throws {
    try change(entity, name, value) { $0.managedObjectContext?.delete($0) }
  }

  func link(
    _ entity: String, _ value: String, _ relationship: String, to other: String, _ name: String
  ) throws {
    let context = context()
    let key = entity == "Book" ? "title" : "name"
    let target = try #require(
      try objects(other, context).first { try $0.value(forKey: "name") as? String == name })
    for object in try objects(entity, context)
    where try object.value(forKey: key) as? String == value {
      let isToMany =
        object.entity.relationshipsByName[relationship].map { $0.isToMany } ?? false
      try object.setValue(isToMany ? Set([target]) : target, forKey: relationship)
    }
    try context.save()
  }

  private func objects(
    _ entity: String, _ context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
  }

  /// Returns the values of all objects of an entity, a sorted line for each, read from the store.
  func lines(_ entity: String, _ names: String...) throws -> [String] {
    coordinator.forgetRows()
    let context = context()
    return try withExtendedLifetime(context) {
      try objects(entity, context).map { object in
        try names.map { name in
          switch try object.value(forKey: name) {
          case let target as ManagedObject:
            "-> " + (try target.value(forKey: "name") as? String ?? "nothing")
          case let targets as Set<ManagedObject>:
            try targets.map { "-> " + (try $0.value(forKey: "name") as? String ?? "nothing") }
              .sorted().joined(separator: " ")
          case let value?: "\(value)"
          case nil: "-"
          }
        }.joined(separator: " ")
      }.sorted()
    }
  }
}

private final class Counter: @unchecked Sendable {
  // Sendable: a migration reports on one thread.
  private var count = 0

  func next() -> Int {
    count += 1
    return count
  }
}

extension PersistentStoreCoordinator {
  fileprivate func forgetRows() {
    for attached in state.withLock({ $0.list.stores }) { attached.cache.removeAll() }
  }
}

extension PersistentStoreDescription {
  /// The quoted name of the store's schema.
  var schemaName: String {
    get throws { "\"\(try #require(url?.query()?.split(separator: "=").last))\"" }
  }

  /// Returns a description of the whole schema: tables, columns, defaults, indexes, triggers, functions, and the
  /// store's metadata.
  func everything() throws -> [String] {
    let session = try RawSession(try #require(Servers.uri))
    let schema = try schemaName.replacing("\"", with: "")
    let own = ["_roost_metadata", "_roost_names", "_roost_indexes", "_roost_models"]
    return try session.rows(
      """
      SELECT 'column ' || c.relname || '.' || a.attname || ' '
      || coalesce(pg_get_expr(d.adbin, d.adrelid), '') FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = '"\(schema)"'::regnamespace AND c.relkind = 'r'
      UNION ALL SELECT 'index ' || indexname || ' ' || indexdef FROM pg_indexes
      WHERE schemaname = '\(schema)'
      UNION ALL SELECT 'function ' || proname FROM pg_proc
      WHERE pronamespace = '"\(schema)"'::regnamespace
      UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE c.relnamespace = '"\(schema)"'::regnamespace ORDER BY 1
      """)
      + own.flatMap { try session.rows("SELECT t::text FROM \"\(schema)\".\($0) t ORDER BY 1") }
  }
}

/// Checks that a save is refused because the other version of the model could not represent its values.
func expectUnheld(_ word: String, _ key: String, _ body: () throws -> Void) {
  let error = #expect(throws: PersistenceError.self) { try body() }
  #expect(error?.code == .managedObjectValidation, "\(error as Any)")
  #expect(error?.key == key)
  #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  #expect(error?.message.contains(".contract") == true)
}
