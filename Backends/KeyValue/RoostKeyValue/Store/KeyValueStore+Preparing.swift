// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostStore

extension KeyValueStore {
  public func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try checkOpen()
    do {
      try engine.adopt(schema)
    } catch {
      // Records of another version of the model may have other types of values.
      try engine.read { try checkEpoch(in: $0) }
      throw error
    }
    if let prepared = try unchangedSchema(schema, metadata) {
      return remember(metadata: metadata, schema: prepared)
    }
    let wanted = metadata
    let known = self.metadata
    var metadata = wanted
    let prepared = try engine.writing { snapshot, batch in
      try checkEpoch(in: snapshot)
      let written = try KeyValueStore.metadata(in: snapshot)
      // Another process may have written metadata since this store was opened.
      metadata = written.map { wanted.preparing(over: $0, since: known) } ?? wanted
      let stored = try snapshot.blob(named: IndexCatalog.blobName) ?? []
      if isReadOnly { return try layOut(schema, metadata, in: IndexCatalog(stored), as: stored) }
      var catalog = try IndexCatalog(stored)
      let before = catalog
      let isNew = try extend(&catalog, for: schema, metadata, batch: &batch)
      let bytes = catalog == before ? stored : try catalog.bytes()
      if catalog != before { batch.setBlob(bytes, named: IndexCatalog.blobName) }
      try deferLargeIndexes(of: schema, in: catalog, isNew, over: snapshot, &metadata)
      let prepared = try layOut(schema, metadata, in: catalog, as: bytes)
      for index in prepared.indexes where isNew.contains(index.table) && prepared.isBuilt(index) {
        try build(index, from: snapshot, into: &batch)
      }
      if let history = prepared.history { try history.begin(in: snapshot, &batch) }
      let isOther = written != metadata
      if isOther { try KeyValueStore.write(metadata, to: &batch) }
      // Indexes are no part of a version, but of the text.
      if isOther || catalog != before {
        try writeModel(of: schema, metadata, over: snapshot, to: &batch)
      }
      return prepared
    }
    remember(metadata: metadata, schema: prepared)
  }

  /// Notes the new indexes of many records as left for the opening, which fills them in transactions of its own.
  private func deferLargeIndexes(
    of schema: StoreSchema, in catalog: IndexCatalog, _ isNew: Set<EntryTable>,
    over snapshot: any KeyValueSnapshot, _ metadata: inout StoreMetadata
  ) throws {
    guard engine.keepsRemoved else { return }
    var steps = metadata.deferredSteps ?? []
    for index in KeyValueSchema.definitions(for: schema) where index.isDeferrable {
      guard let table = catalog.tables[index.signature], isNew.contains(table) else { continue }
      // A step of an index that was removed meanwhile would go on in the middle.
      steps.removeAll { $0.kind == .index && $0.place == index.signature }
      let count = try index.entityCodes.reduce(0) { sum, code in
        try sum + snapshot.recordCount(ofEntityCode: code)
      }
      guard description.evolution.batches.divides(entries: count) else { continue }
      steps.append(DeferredStep(.index, index.signature, isOverdue: true))
    }
    metadata.setDeferredSteps(steps)
  }

  /// Throws when the store was migrated since it was opened (M34).
  private func checkEpoch(in snapshot: any KeyValueSnapshot) throws {
    guard let bytes = openedMetadata, let stored = try KeyValueStore.metadata(in: snapshot),
      try StoreMetadata(json: Data(bytes)).epoch != stored.epoch
    else { return }
    throw PersistenceError.migratedMeanwhile(store: identity.identifier)
  }

  /// Writes the text of the model together with metadata that refer to it; removes the text of an earlier model.
  func writeModel(
    of schema: StoreSchema, _ metadata: StoreMetadata, over snapshot: any KeyValueSnapshot,
    to batch: inout WriteBatch
  ) throws {
    if metadata.keepsModel == true {
      batch.setBlob(try schema.modelText(), named: KeyValueStore.modelName)
    } else if try snapshot.blob(named: KeyValueStore.modelName) != nil {
      batch.setBlob(nil, named: KeyValueStore.modelName)
    }
  }

  /// Returns the schema of a store that needs no writes: the usual case at every start of a program except the first.
  private func unchangedSchema(
    _ schema: StoreSchema, _ metadata: StoreMetadata
  ) throws -> KeyValueSchema? {
    guard metadata == self.metadata, let openedMetadata else { return nil }
    return try engine.reading { snapshot in
      let stored = try snapshot.blob(named: IndexCatalog.blobName) ?? []
      let catalog = try IndexCatalog(stored)
      var extended = catalog
      var nothing = WriteBatch()
      _ = try extend(&extended, for: schema, metadata, batch: &nothing)
      // Another process may have written since this one opened the store.
      guard extended == catalog,
        try snapshot.blob(named: KeyValueStore.metadataName) == openedMetadata
      else { return nil }
      return try layOut(schema, metadata, in: catalog, as: stored)
    }
  }

  /// Adds the tables that a schema needs to a catalog, and removes those that it does not need.
  ///
  /// - Returns: The new tables.
  private func extend(
    _ catalog: inout IndexCatalog, for schema: StoreSchema, _ metadata: StoreMetadata,
    batch: inout WriteBatch
  ) throws -> Set<EntryTable> {
    var wanted = KeyValueSchema.signatures(for: schema)
    if metadata.keepsHistory { wanted.append(HistoryTable.signature) }
    if metadata.keepsPreviousValues { wanted.append(HistoryTable.valuesSignature) }
    // Stored references to other stores stay valid, even if the current model allows none.
    let refers = ForeignTables(catalog) != nil
    if schema.model.hasRelationshipsAcrossStores || refers { wanted += ForeignTables.signatures }
    // So do the links that this store owns: another model version may allow them again.
    let kept = refers ? KeyValueSchema.signaturesOfOwnedLinks(for: schema) : []
    for (signature, table) in catalog.tables
    where !wanted.contains(signature) && !kept.contains(signature) {
      catalog.tables[signature] = nil
      batch.empty(table)
    }
    return Set(wanted.compactMap { catalog.add($0) })
  }

  /// Finds the table of each index and link table. An index that has no table, in a store that cannot be written, is
  /// left out: fetches scan instead.
  private func layOut(
    _ schema: StoreSchema, _ metadata: StoreMetadata, in catalog: IndexCatalog, as bytes: [UInt8]
  ) throws -> KeyValueSchema {
    let indexes = KeyValueSchema.definitions(for: schema).compactMap { definition in
      catalog.tables[definition.signature].map { table in
        definition.placed(in: table, longestKey: engine.longestEntryKey)
      }
    }
    var links: [ObjectIdentifier: KeyValueSchema.LinkTables] = [:]
    for table in schema.linkTables {
      guard let forward = catalog.tables[table.forwardSignature],
        let backward = catalog.tables[table.backwardSignature]
      else { continue }
      links[ObjectIdentifier(table)] = KeyValueSchema.LinkTables(
        forward: forward, backward: backward,
        sourceCodes: schema.codes(below: table.relationship.entity),
        destinationCodes: schema.codes(below: table.relationship.destinationEntity),
        isOrdered: table.sourceIsOrdered || table.destinationIsOrdered)
    }
    return KeyValueSchema(
      schema: schema, indexes: indexes, links: links, catalogStamp: IndexCatalog.stamp(bytes),
      version: KeyValueSchema.Version(metadata),
      history: metadata.keepsHistory
        ? catalog.tables[HistoryTable.signature].map {
          HistoryTable($0, keepsValues: metadata.keepsPreviousValues)
        } : nil,
      foreign: ForeignTables(catalog),
      unbuilt: Set(metadata.deferredIndexes.compactMap { catalog.tables[$0] }))
  }

  private func build(
    _ index: IndexDefinition, from snapshot: any KeyValueSnapshot, into batch: inout WriteBatch
  ) throws {
    var entries = EntryBatch()
    for code in index.entityCodes {
      try snapshot.scanRecords(ofEntityCode: code, need: index.need) { chunk in
        for position in 0..<chunk.count {
          chunk.withRow(position) { index.put($0, to: &entries) }
        }
        return true
      }
    }
    entries.order()
    if case .unique(let constraint) = index.purpose {
      var check = try UniquenessCheck(index: index, constraint: constraint, snapshot: snapshot)
      guard try check.conflicts(in: entries, changedRow: { _ in nil }).isEmpty else {
        throw PersistenceError(
          .migrationConstraintViolation,
          "The store has records that are not unique by \(constraint.joined(separator: ", ")).",
          entityName: index.entity.name, key: constraint.first, store: identity.identifier)
      }
    }
    batch.changeEntries(of: index.table) { $0 = entries }
  }

  func requireWritable(_ what: String) throws {
    guard !isReadOnly else {
      throw PersistenceError(
        .readOnlyStore, "The store is read-only and \(what).", store: identity.identifier)
    }
  }
}

extension StoreSchema {
  /// The codes of an entity and those below it.
  func codes(below entity: EntityDescription?) -> Set<Int> {
    Set((entity?.concreteEntities ?? []).compactMap { code(of: $0) })
  }
}

extension LinkTable {
  var forwardSignature: String { "links \(name) forward" }
  var backwardSignature: String { "links \(name) backward" }
}
