// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostInMemory
import RoostLMDB
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostKeyValue

/// A key-value store that is migrated from version to version.
final class EvolvingStore {
  /// The types that a test runs with.
  enum Kind: String, CaseIterable, Sendable {
    case memory, binary, lmdb
    /// An engine without its own evolution, which uses the shared one.
    case plain

    /// The types whose data several stores can have open at once in different versions.
    static let shared: [Kind] = [.memory, .binary, .lmdb]
  }

  let kind: Kind
  let description: PersistentStoreDescription
  private(set) var store: any PersistentStore
  private(set) var version: ModelVersion
  private let folder: URL
  private var sequence: Int64 = 0

  init(
    _ kind: Kind, _ version: ModelVersion,
    _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) throws {
    self.kind = kind
    self.version = version
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var description: PersistentStoreDescription
    switch kind {
    case .memory: description = .inMemory(named: UUID().uuidString)
    case .binary: description = .binary(at: folder.appending(path: "store.binary"))
    case .lmdb: description = .lmdb(at: folder.appending(path: "store.lmdb"))
    case .plain:
      let place = PersistentStoreDescription.inMemory(named: UUID().uuidString)
      description = PersistentStoreDescription(
        type: PersistentStoreType(
          rawValue: "InMemory", driver: PlainDriver(base: place.type.driver)),
        url: place.url)
    }
    change(&description)
    self.description = description
    store = try Self.open(description, version)
  }

  deinit {
    store.close()
    try? description.type.driver.destroy(description)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Opens a store with its current version, as the coordinator does.
  static func open(
    _ description: PersistentStoreDescription, _ version: ModelVersion
  ) throws -> any PersistentStore {
    let store = try description.type.driver.open(description)
    do {
      var metadata = store.metadata
      var codes = metadata.entityCodes
      if codes.isEmpty {
        for (place, name) in version.model.entities.compactMap(\.name).sorted().enumerated() {
          codes[name] = place + 1
        }
      }
      if !description.isReadOnly { version.describe(&metadata, codes: codes) }
      try store.prepare(try version.schema(store.identity, codes: codes), metadata: metadata)
      return store
    } catch {
      store.close()
      throw error
    }
  }

  /// Closes the store and opens it again, with another instance of the same version or with the same.
  func reopen(_ version: ModelVersion? = nil) throws {
    store.close()
    store = try Self.open(description, version ?? self.version)
    if let version { self.version = version }
  }

  /// Returns the steps of a migration to a version.
  func steps(
    to next: ModelVersion, from old: ModelVersion? = nil
  ) throws -> [MigrationPlan.Step] {
    if kind == .plain { store.close() }
    let raw = try description.type.driver.open(description)
    defer {
      raw.close()
      if kind == .plain { #expect(throws: Never.self) { try reopen() } }
    }
    let (change, _) = try next.change(from: old ?? version, of: raw)
    return try #require(raw.evolution).steps(of: change)
  }

  /// Migrates the store to a version, and opens it with that version.
  ///
  /// - Parameters:
  ///   - next: The version.
  ///   - old: Another instance of the store's version, such as one read from its text.
  ///   - keepsOpen: Whether the open store stays open.
  @discardableResult
  func evolve(
    to next: ModelVersion, from old: ModelVersion? = nil, keepsOpen: Bool = false,
    reporter: MigrationReporter = MigrationReporter()
  ) throws -> Bool {
    if !keepsOpen { store.close() }
    let raw = try description.type.driver.open(description)
    do {
      let (change, metadata) = try next.change(from: old ?? version, of: raw)
      let evolution = try #require(raw.evolution)
      guard try evolution.evolve(change, to: metadata, reporter: reporter) else {
        raw.close()
        if !keepsOpen { store = try Self.open(description, version) }
        return false
      }
      let writes = try raw.changeMarks?.changeMark()
      try raw.prepare(change.destination, metadata: metadata)
      // An in-memory store counts it as a write when its rows get the layouts of another instance of the model.
      #expect(
        try kind != .lmdb || raw.changeMarks?.changeMark() == writes,
        "Something was left to be written.")
    } catch {
      raw.close()
      if !keepsOpen { store = try Self.open(description, version) }
      throw error
    }
    store = raw
    version = next
    return true
  }

  // MARK: - Records

  /// Makes a row.
  func row(_ name: String, key: Int64, _ values: [String: Value]) throws -> Row {
    let layout = version.entity(name).layout
    let row = Row(layout: layout, key: key, version: 1)
    for (name, value) in values { try row.setValue(value, at: #require(layout.slot(named: name))) }
    return row
  }

  /// Writes a new record.
  @discardableResult
  func insert(_ name: String, _ values: [String: Value]) throws -> Int64 {
    let number = try store.reserveSequences(1).lowerBound
    let code = try #require(store.metadata.entityCodes[name])
    let key = RecordKey.make(sequence: number, entityCode: code)
    try commit(StoreChangeSet(inserted: [try row(name, key: key, values)]))
    return key
  }

  /// Links records.
  func link(_ name: String, _ relationship: String, _ source: Int64, _ members: [Int64]) throws {
    try commit(StoreChangeSet(links: try links(name, relationship, source, members)))
  }

  /// Returns the changes that link records.
  func links(
    _ name: String, _ relationship: String, _ source: Int64, _ members: [Int64]
  ) throws -> [LinkChange] {
    let relationship = try #require(version.entity(name).relationshipsByName[relationship])
    guard case .links(let table, let isForward) = relationship.storage else {
      Issue.record("The relationship has no table.")
      return []
    }
    return members.enumerated().map { place, member in
      LinkChange(
        table: table, source: isForward ? source : member,
        destination: isForward ? member : source,
        kind: isForward
          ? .link(position: Int64(place + 1) * 10, inversePosition: nil)
          : .link(position: nil, inversePosition: Int64(place + 1) * 10))
    }
  }

  func commit(_ changes: StoreChangeSet) throws {
    guard case .committed = try store.commit(changes) else {
      throw PersistenceError(.persistentStoreSave, "The changes are in conflict.")
    }
  }

  /// Returns the rows of an entity, in the order of their keys.
  func rows(_ name: String, where predicate: ResolvedPredicate? = nil) throws -> [Row] {
    let entity = version.entity(name)
    let request = ResolvedFetch(
      entity: entity, entities: entity.concreteEntities, predicate: predicate)
    guard case .rows(let rows) = try store.fetch(request).content else {
      Issue.record("rows were asked for")
      return []
    }
    return rows.sorted { $0.key < $1.key }
  }

  /// Returns the values of an attribute or to-one relationship for the records of an entity.
  func values(_ name: String, _ property: String) throws -> [Value] {
    try rows(name).map { row in row.value(at: try #require(row.layout.slot(named: property))) }
  }

  /// Returns the keys of records that match a condition on one attribute, evaluated on that slot only.
  func keys(_ name: String, _ property: String, _ value: Value) throws -> [Int64] {
    let entity = version.entity(name)
    let attribute = try #require(entity.attributesByName[property])
    let slot = try #require(entity.layout.slot(named: property))
    return try rows(
      name,
      where: .comparison(
        ResolvedComparison(
          left: .path(
            ResolvedPath(root: .object, relationships: [], end: .attribute(attribute, slot))),
          comparison: .equalTo, right: .constant(value), modifier: .direct, options: []))
    ).map(\.key)
  }

  /// Returns the members of a to-many relationship for each source.
  func members(_ name: String, _ relationship: String, _ sources: [Int64]) throws -> [[Int64]] {
    let relationship = try #require(version.entity(name).relationshipsByName[relationship])
    let found = try store.destinations(of: relationship, forSources: sources)
    return sources.indices.map { Array(found[source: $0]) }
  }

  /// Returns the plan of a request by one attribute.
  func plan(_ name: String, by property: String, _ value: Value) throws -> String {
    let entity = version.entity(name)
    let attribute = try #require(entity.attributesByName[property])
    let slot = try #require(entity.layout.slot(named: property))
    let request = ResolvedFetch(
      entity: entity, entities: entity.concreteEntities,
      predicate: .comparison(
        ResolvedComparison(
          left: .path(
            ResolvedPath(root: .object, relationships: [], end: .attribute(attribute, slot))),
          comparison: .equalTo, right: .constant(value), modifier: .direct, options: [])))
    return try store.plan(for: request).steps.joined(separator: "; ")
  }
}

/// Opens in-memory stores with an engine that implements only the required functions.
private struct PlainDriver: PersistentStoreDriver {
  let base: any PersistentStoreDriver

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    guard let store = try base.open(description) as? KeyValueStore else {
      preconditionFailure("A store in memory is of the family.")
    }
    return try KeyValueStore(
      engine: CountingEngine(store.engine), description: description, storeType: "InMemory")
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try base.metadata(of: description)
  }

  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try base.setMetadata(metadata, of: description)
  }

  func destroy(_ description: PersistentStoreDescription) throws {
    try base.destroy(description)
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try base.replace(destination, with: source)
  }
}

/// Returns the error that a body throws; nil for none.
func failure(_ body: () throws -> Void) -> PersistenceError? {
  do {
    try body()
    return nil
  } catch {
    return error as? PersistenceError
  }
}
