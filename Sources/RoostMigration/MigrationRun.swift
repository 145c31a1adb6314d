// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// One migration between two stores: the stores, the compiled mappings, and the associations.
final class MigrationRun {
  /// The number of objects in memory at once (M23).
  static let batchSize = 512

  unowned let manager: MigrationManager
  let request: MigrationRequest
  let stores: MigrationStores
  let mappings: [CompiledMapping]
  var mapping: MappingModel { request.mapping }
  /// The current mapping.
  var current: CompiledMapping?
  /// Whether new objects get the keys of their source objects (M21).
  let keepsKeys: Bool
  /// The associations of source and destination objects, for each mapping.
  private var tables: [AssociationTable]
  /// The associations whose new objects have no permanent ID yet, by mapping and source.
  private var pending: [Int: [Int64: [ManagedObject]]] = [:]
  /// The same, in the order of creation.
  private var order: [(mapping: Int, source: Int64, object: ManagedObject)] = []
  /// The keys to assign to new objects.
  private var wanted: [ObjectIdentifier: Int64] = [:]
  /// The number of objects to make.
  let total: Int
  private var done = 0

  /// Opens the stores and compiles the mappings.
  init(_ request: MigrationRequest, manager: MigrationManager) throws {
    self.manager = manager
    self.request = request
    // Names are checked before anything is opened, and once more for the models that the stores use.
    _ = try MappingCompiler(
      mapping: request.mapping, sourceModel: request.sourceModel,
      destinationModel: request.destinationModel
    ).run()
    stores = try MigrationStores(request) { metadata in
      EntityCodePlan(request.mapping, metadata).codes
    }
    do {
      let compiled = try MappingCompiler(
        mapping: request.mapping, sourceModel: stores.source.model,
        destinationModel: stores.destination.model
      ).run()
      // Entities of other configurations are in other stores (M3).
      mappings = compiled.filter { [stores] mapping in
        mapping.source.map { stores.source.store.schema.code(of: $0) != nil } ?? true
          && mapping.destination.map { stores.destination.store.schema.code(of: $0) != nil } ?? true
      }
      tables = compiled.map { _ in AssociationTable() }
      let keys = SourceKeys(context: stores.sourceContext)
      var count = 0
      // The numbers of deleted records too: the store keeps its UUID, so a URI would name another object.
      var largest = try stores.source.store.store.lastSequence()
      for mapping in mappings where mapping.makesInstances {
        let found = try keys.keys(of: mapping)
        count += found.count
        for key in found { largest = max(largest, RecordKey.sequence(of: key)) }
      }
      total = count
      keepsKeys = try Self.reserve(largest, stores)
    } catch {
      stores.close(isComplete: false)
      throw error
    }
  }

  /// Takes the numbers that the source has given in a new destination.
  ///
  /// - Returns: Whether they are the same numbers there.
  private static func reserve(_ largest: Int64, _ stores: MigrationStores) throws -> Bool {
    guard !stores.isAppending, largest > 0, let count = Int(exactly: largest) else { return false }
    return try stores.destination.store.store.reserveSequences(count).lowerBound == 1
  }

  /// The compiled form of a mapping.
  func compiled(_ mapping: EntityMapping) throws -> CompiledMapping {
    if let current, current.mapping === mapping { return current }
    guard
      let found = mappings.first(where: {
        $0.mapping === mapping || $0.mapping.name == mapping.name
      })
    else {
      throw PersistenceError(
        .entityMigrationPolicy, "The mapping model has no entity mapping “\(mapping.name)”.")
    }
    return found
  }

  // MARK: Progress

  func begin(_ title: String) throws {
    try manager.checkCancellation()
    try manager.reporter?.begin(title, records: Int64(total))
  }

  /// Records progress; each object is processed three times.
  func advance(by count: Int) throws {
    done += count
    if total > 0 { manager.noteProgress(Float(done) / Float(3 * total) * 0.99) }
    try manager.reporter?.advance(by: Int64(count))
  }

  // MARK: Associations

  func associate(_ source: ManagedObject, _ destination: ManagedObject, _ mapping: EntityMapping) {
    guard let compiled = try? compiled(mapping) else { return }
    let key = source.objectID.key
    if destination.objectID.isTemporaryID {
      pending[compiled.index, default: [:]][key, default: []].append(destination)
      order.append((compiled.index, key, destination))
    } else {
      tables[compiled.index].add(key, destination.objectID.key)
    }
  }

  /// Whether something was made of an object already.
  func hasAssociations(_ source: Int64, _ mapping: CompiledMapping) -> Bool {
    pending[mapping.index]?[source] != nil
      || !tables[mapping.index].destinations(of: source).isEmpty
  }

  /// Has a new object get a key when it is saved.
  func want(_ key: Int64, for object: ManagedObject) {
    wanted[ObjectIdentifier(object)] = key
  }

  func destinations(ofMapping name: String, _ sources: [ManagedObject]?) -> [ManagedObject] {
    guard let mapping = mappings.first(where: { $0.mapping.name == name }) else { return [] }
    return destinations(of: mapping, sources)
  }

  /// Returns the objects that mappings have made from source objects; for each source, those of the first mapping
  /// first.
  func destinations(of mapping: CompiledMapping, _ sources: [ManagedObject]?) -> [ManagedObject] {
    let index = mapping.index
    guard let sources else {
      return tables[index].pairs.compactMap { destination(forKey: $0.destination) }
        + order.filter { $0.mapping == index }.map(\.object)
    }
    return sources.flatMap { source -> [ManagedObject] in
      let key = source.objectID.key
      return tables[index].destinations(of: key).compactMap { destination(forKey: $0) }
        + (pending[index]?[key] ?? [])
    }
  }

  func sources(ofMapping name: String, _ destinations: [ManagedObject]?) -> [ManagedObject] {
    guard let index = mappings.first(where: { $0.mapping.name == name })?.index else { return [] }
    guard let destinations else {
      return tables[index].pairs.compactMap { source(forKey: $0.source) }
        + order.filter { $0.mapping == index }.compactMap { source(forKey: $0.source) }
    }
    return destinations.flatMap { destination -> [ManagedObject] in
      // An unsaved object is in no table, and a lookup might sort the table again.
      let isNew = destination.objectID.isTemporaryID
      let known = isNew ? [] : tables[index].sources(of: destination.objectID.key)
      let new = order.filter { $0.mapping == index && $0.object === destination }.map(\.source)
      return (known + new).compactMap { source(forKey: $0) }
    }
  }

  /// The pairs of a mapping.
  func pairs(of mapping: CompiledMapping) -> ContiguousArray<AssociationTable.Pair> {
    tables[mapping.index].pairs
  }

  func source(forKey key: Int64) -> ManagedObject? {
    stores.source.store.objectID(forKey: key).map { stores.sourceContext.object(with: $0) }
  }

  func destination(forKey key: Int64) -> ManagedObject? {
    stores.destination.store.objectID(forKey: key).map {
      stores.destinationContext.object(with: $0)
    }
  }
}

// MARK: - Batches

extension MigrationRun {
  /// Writes the new objects, and turns all objects into faults. An existing destination is written once, at the end,
  /// so that the write is atomic.
  func flush() throws {
    let context = stores.destinationContext
    try nameNewObjects(in: context)
    if stores.isAppending { return try releaseSource() }
    do {
      try context.saveUnchecked()
    } catch let error as PersistenceError where error.code == .managedObjectConstraintMerge {
      throw Self.violation(error)
    }
    try context.refreshAllObjects()
    try releaseSource()
  }

  static func violation(_ error: PersistenceError) -> PersistenceError {
    PersistenceError(
      .migrationConstraintViolation,
      "The migrated records break a uniqueness constraint of the new model.",
      entityName: error.entityName, key: error.key, objectIDs: error.objectIDs,
      underlyingErrors: [error])
  }

  private func releaseSource() throws {
    if stores.sourceContext.hasChanges { stores.sourceContext.rollback() }
    try stores.sourceContext.refreshAllObjects()
  }

  /// Gives new objects their IDs, and keeps their associations by these.
  private func nameNewObjects(in context: ManagedObjectContext) throws {
    var others: [ManagedObject] = []
    for object in context.insertedObjects where object.objectID.isTemporaryID {
      if let key = wanted[ObjectIdentifier(object)],
        let id = stores.destination.store.objectID(forKey: key)
      {
        context.makePermanent(object, as: id)
      } else {
        others.append(object)
      }
    }
    wanted.removeAll(keepingCapacity: true)
    // In the order of creation: temporary keys are descending.
    others.sort { $0.objectID.key > $1.objectID.key }
    if !others.isEmpty { try context.bridge.makePermanent(others) }
    // An object that was deleted again has no permanent ID, and is not a destination.
    for (mapping, source, object) in order where !object.objectID.isTemporaryID {
      tables[mapping].add(source, object.objectID.key)
    }
    order.removeAll(keepingCapacity: true)
    pending.removeAll(keepingCapacity: true)
  }
}
