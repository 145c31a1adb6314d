// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostQuery
package import RoostStore

/// A store that is filled in one version of a model and migrated to others, as the coordinator does it.
package final class EvolvingStore {
  package let description: PersistentStoreDescription
  package private(set) var store: any PersistentStore
  package private(set) var version: TestModel
  /// The steps of the last migration, as they were planned.
  package private(set) var steps: [MigrationPlan.Step] = []

  package init(
    _ description: PersistentStoreDescription, _ version: TestModel, keepsModel: Bool = true
  ) throws {
    self.description = description
    self.version = version
    store = try description.type.driver.open(description)
    var metadata = store.metadata
    if metadata.entityVersionHashes.isEmpty {
      metadata.note(version)
      if keepsModel { metadata.keepsModel = true }
    }
    try prepare(metadata)
  }

  deinit {
    store.close()
  }

  /// Opens the store again.
  package func reopen() throws {
    store.close()
    store = try description.type.driver.open(description)
    try prepare(store.metadata)
  }

  private func prepare(_ metadata: StoreMetadata) throws {
    try store.prepare(version.schema(store.identity, metadata.entityCodes), metadata: metadata)
  }

  package var schema: StoreSchema {
    get throws { try version.schema(store.identity, store.metadata.entityCodes) }
  }

  // MARK: - Evolution

  /// Returns the change from the store's version to another one.
  package func change(to next: TestModel) throws -> (SchemaChange, StoreMetadata) {
    try version.change(to: next, store)
  }

  /// Migrates the store to another version, and prepares it.
  ///
  /// - Returns: Whether it was changed.
  @discardableResult
  package func evolve(
    to next: TestModel, reporter: MigrationReporter = MigrationReporter()
  ) throws -> Bool {
    guard let evolution = store.evolution else { preconditionFailure("The store cannot evolve.") }
    let (change, metadata) = try change(to: next)
    steps = try evolution.steps(of: change)
    guard try evolution.evolve(change, to: metadata, reporter: reporter) else { return false }
    version = next
    try prepare(metadata)
    return true
  }

  // MARK: - Records

  /// Writes a record under a sequence number; references are numbers of other records.
  @discardableResult
  package func insert(_ entity: String, _ sequence: Int64, _ values: [String: Value] = [:]) throws
    -> Int64
  {
    _ = try store.reserveSequences(1)
    let row = Row(layout: version.entity(entity).layout, key: key(entity, sequence), version: 1)
    for (name, value) in values {
      guard let slot = row.layout.slot(named: name) else { preconditionFailure("No slot \(name).") }
      try row.setValue(value, at: slot)
    }
    try commit(StoreChangeSet(inserted: [row]))
    return row.key
  }

  package func key(_ entity: String, _ sequence: Int64) -> Int64 {
    RecordKey.make(sequence: sequence, entityCode: store.metadata.entityCodes[entity] ?? 0)
  }

  /// Returns the value of a to-one relationship.
  package func reference(_ entity: String, _ sequence: Int64) throws -> Value {
    guard let id = try schema.objectID(forKey: key(entity, sequence)) else {
      preconditionFailure("No entity \(entity).")
    }
    return .objectID(id)
  }

  /// Links records by a relationship that is kept in a table of links.
  package func link(
    _ entity: String, _ relationship: String, _ pairs: [(Int64, Int64)], position: Int64? = nil
  ) throws {
    guard let found = version.entity(entity).relationshipsByName[relationship],
      case .links(let table, let isForward) = found.storage
    else { preconditionFailure("\(relationship) has no links.") }
    let links = pairs.enumerated().map { number, pair in
      LinkChange(
        table: table, source: isForward ? pair.0 : pair.1,
        destination: isForward ? pair.1 : pair.0,
        kind: .link(position: position.map { $0 - Int64(number) }, inversePosition: nil))
    }
    try commit(StoreChangeSet(links: links))
  }

  package func commit(_ changes: StoreChangeSet) throws {
    guard case .committed = try store.commit(changes) else {
      throw PersistenceError(.persistentStoreSave, "The changes were refused.")
    }
  }

  /// Returns the content of the store, a line for each record: the version if it is not 1, values, and destinations.
  package func contents() throws -> [String] {
    try version.contents(of: store)
  }
}

extension StoreMetadata {
  /// Records a version, with new codes for new entities.
  fileprivate mutating func note(_ version: TestModel) {
    entityVersionHashes = version.model.entityVersionHashesByName
    versionChecksum = ManagedObjectModel.versionChecksum(of: entityVersionHashes)
    var next = (entityCodes.values.max() ?? 0) + 1
    for name in version.model.entities.compactMap(\.name).sorted() where entityCodes[name] == nil {
      entityCodes[name] = next
      next += 1
    }
  }
}

extension TestModel {
  /// A text by which a test recognises the version.
  package var text: String { model.entityVersionHashesByName.keys.sorted().joined(separator: " ") }

  package func schema(
    _ identity: StoreIdentity, _ codes: [String: Int]
  ) throws -> StoreSchema {
    let text = Array(text.utf8)
    return try StoreSchema(
      identity: identity, model: model, configuration: nil, codes: codes, modelText: { text })
  }

  /// Returns the change from this version to another one in a store, and the metadata after it.
  package func change(
    to next: TestModel, _ store: any PersistentStore
  ) throws -> (SchemaChange, StoreMetadata) {
    try change(to: next, store.metadata, store.identity)
  }

  /// The codes that entities have in a new store.
  package var codes: [String: Int] {
    var metadata = StoreMetadata(storeType: "")
    metadata.note(self)
    return metadata.entityCodes
  }

  /// Returns the change from this version to another one in a store with given metadata.
  package func change(
    to next: TestModel, _ before: StoreMetadata, _ identity: StoreIdentity
  ) throws -> (SchemaChange, StoreMetadata) {
    let pairs = pairs(with: next)
    var after = before
    // Names can be swapped.
    let renamed = pairs.filter { $0.source.name != $0.destination.name }
    for pair in renamed { after.entityCodes[pair.source.name ?? ""] = nil }
    for pair in renamed {
      after.entityCodes[pair.destination.name ?? ""] = before.entityCodes[pair.source.name ?? ""]
    }
    after.note(next)
    after.epoch = (before.epoch ?? 0) + 1
    after.keepsModel = true
    let change = SchemaChange(
      source: try schema(identity, before.entityCodes),
      destination: try next.schema(identity, after.entityCodes), metadata: before,
      pairs: pairs)
    return (change, after)
  }

  /// Returns the pairs of entities and properties of this version and another one, by their renaming identifiers.
  private func pairs(with next: TestModel) -> [EntityMatch] {
    next.model.entities.compactMap { entity in
      guard let name = entity.renamingIdentifier, let old = model.entitiesByName[name] else {
        return nil
      }
      let properties = entity.propertiesByName.values.compactMap { property in
        property.renamingIdentifier.flatMap { old.propertiesByName[$0] }.map {
          EntityMatch.PropertyMatch($0, property, conversion: Self.conversion($0, property))
        }
      }
      return EntityMatch(old, entity, properties: properties)
    }
  }

  private static func conversion(
    _ old: PropertyDescription, _ new: PropertyDescription
  ) -> ValueConversion? {
    guard let old = old as? AttributeDescription, let new = new as? AttributeDescription else {
      return nil
    }
    switch (old.type, new.type) {
    case (.integer16, .double), (.integer32, .double): return .integerToDouble
    case (.string, .uri): return .stringToURI
    case (.uri, .string): return .uriToString
    default: return nil
    }
  }

  /// Returns the content of a store of this version, a line for each record.
  package func contents(of store: any PersistentStore) throws -> [String] {
    var lines: [String] = []
    for entity in model.entities.sorted(by: { $0.name ?? "" < $1.name ?? "" })
    where !entity.isAbstract {
      let request = ResolvedFetch(entity: entity, entities: [entity])
      guard case .rows(let rows) = try store.fetch(request, in: FetchContext()).content else {
        continue
      }
      for row in rows.sorted(by: { $0.key < $1.key }) {
        lines.append(try line(of: row, entity, store))
      }
    }
    return lines
  }

  private func line(
    of row: Row, _ entity: EntityDescription, _ store: any PersistentStore
  ) throws -> String {
    var parts: [String] = []
    if row.version != 1 { parts.append("version \(row.version)") }
    for (slot, content) in zip(row.layout.slots, row.layout.contents) {
      guard !row.isNull(slot) else { continue }
      switch content {
      case .attribute(let attribute, let name) where attribute.isStored:
        parts.append("\(name): \(row.value(at: slot))")
      case .reference(let relationship):
        parts.append(
          "\(relationship.name): \(row.reference(slot).map(RecordKey.sequence(of:)) ?? 0)")
      case .attribute, .position: break
      }
    }
    for relationship in entity.relationshipsByName.values where relationship.isToMany {
      let found = try store.destinations(of: relationship, forSources: [row.key])
      let numbers = found.keys.map(RecordKey.sequence(of:))
      guard !numbers.isEmpty else { continue }
      let list = relationship.isOrdered ? numbers : numbers.sorted()
      parts.append("\(relationship.name): \(list)")
    }
    return "\(entity.name ?? "") \(RecordKey.sequence(of: row.key)): "
      + parts.sorted().joined(separator: ", ")
  }
}
