// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The three phases, each of which goes through all mappings in their order (M18).
extension MigrationRun {
  /// Performs the migration.
  ///
  /// - Throws: The error of a policy, of a store, or of the cancellation. The stores remain open.
  func perform() throws {
    manager.reporter?.beginPart(0, of: 1, steps: 3)
    try begin("make objects")
    for mapping in mappings { try createInstances(mapping) }
    try begin("connect objects")
    for mapping in mappings { try createRelationships(mapping) }
    try begin("validate objects")
    try validate()
    try manager.checkCancellation()
    guard try stores.sourceMark() == stores.firstMark else {
      throw PersistenceError.writtenMeanwhile(request.source.displayName)
    }
    try complete()
    manager.noteProgress(1)
  }

  private func createInstances(_ mapping: CompiledMapping) throws {
    current = mapping
    try asking(mapping) { try $0.begin(mapping.mapping, with: manager) }
    if mapping.makesInstances, let entity = mapping.source {
      let reader = SourceKeys(context: stores.sourceContext)
      try reader.keys(of: mapping).forEachBatch(of: Self.batchSize) { keys in
        let ids = keys.compactMap { stores.source.store.objectID(forKey: $0) }
        for object in try reader.objects(ids, of: entity) {
          try manager.checkCancellation()
          try asking(mapping, object) {
            try $0.createDestinationInstances(
              forSource: object, in: mapping.mapping, manager: manager)
          }
        }
        try flush()
        try advance(by: keys.count)
      }
    }
    try asking(mapping) {
      try $0.endInstanceCreation(forMapping: mapping.mapping, manager: manager)
    }
    try flush()
  }

  private func createRelationships(_ mapping: CompiledMapping) throws {
    current = mapping
    // By destination: an object that was made from several source objects is connected once.
    var last: Int64?
    let pairs = pairs(of: mapping).sorted {
      ($0.destination, $0.source) < ($1.destination, $1.source)
    }
    try pairs.forEachBatch(of: Self.batchSize) { pairs in
      try withObjects(of: pairs, mapping) {
        for pair in pairs where pair.destination != last {
          last = pair.destination
          guard let object = destination(forKey: pair.destination) else { continue }
          try manager.checkCancellation()
          try asking(mapping, object) {
            try $0.createRelationships(
              forDestination: object, in: mapping.mapping, manager: manager)
          }
        }
      }
      try flush()
      try advance(by: pairs.count)
    }
    try asking(mapping) {
      try $0.endRelationshipCreation(forMapping: mapping.mapping, manager: manager)
    }
    try flush()
  }

  /// Reads the objects of pairs at once, and keeps them while `body` runs: the registry holds objects weakly.
  private func withObjects(
    of pairs: ArraySlice<AssociationTable.Pair>, _ mapping: CompiledMapping,
    _ body: () throws -> Void
  ) throws {
    var kept: [ManagedObject] = []
    if let entity = mapping.source,
      !mapping.relationships.isEmpty || mapping.policy.readsSourcesToConnect
    {
      kept += try SourceKeys(context: stores.sourceContext).objects(
        pairs.compactMap { stores.source.store.objectID(forKey: $0.source) }, of: entity,
        reading: mapping.prefetched)
    }
    if let entity = mapping.destination, !stores.isAppending {
      kept += try SourceKeys(context: stores.destinationContext).objects(
        pairs.compactMap { stores.destination.store.objectID(forKey: $0.destination) }, of: entity)
    }
    try withExtendedLifetime(kept) { try body() }
  }

  // MARK: Validation

  /// Most failures that one error carries.
  private static let failureLimit = 1_000

  private func validate() throws {
    var failures = FailureList(limit: Self.failureLimit)
    for mapping in mappings {
      current = mapping
      do {
        try asking(mapping) {
          try $0.performCustomValidation(forMapping: mapping.mapping, manager: manager)
        }
        try flush()
      } catch let error as PersistenceError where error.code == .entityMigrationPolicy {
        failures.add([error])
      }
      if !stores.isAppending { try checkRules(of: mapping, &failures) }
      try asking(mapping) { try $0.end(mapping.mapping, manager: manager) }
      try flush()
    }
    if !stores.isAppending { try checkRulesOfOthers(&failures) }
    try failures.throwIfAny()
  }

  private func checkRules(of mapping: CompiledMapping, _ failures: inout FailureList) throws {
    guard let entity = mapping.destination, !entity.isAbstract,
      mappings.first(where: { $0.destination === entity }) === mapping
    else { return }
    try checkRules(of: entity, &failures)
  }

  /// Validates the objects of entities without a mapping, which policies may have made.
  private func checkRulesOfOthers(_ failures: inout FailureList) throws {
    for entity in stores.destination.store.schema.entities
    where !entity.isAbstract && !mappings.contains(where: { $0.destination === entity }) {
      try checkRules(of: entity, &failures)
    }
  }

  private func checkRules(
    of entity: EntityDescription, _ failures: inout FailureList
  ) throws {
    let reader = SourceKeys(context: stores.destinationContext)
    try reader.keys(of: entity).forEachBatch(of: Self.batchSize) { keys in
      let ids = keys.compactMap { stores.destination.store.objectID(forKey: $0) }
      for object in try reader.objects(ids, of: entity) {
        try manager.checkCancellation()
        failures.add(try AllRules.failures(of: object))
      }
      try flush()
      try advance(by: keys.count)
    }
  }

  // MARK: End

  /// Writes the remaining changes, and marks the store as complete.
  private func complete() throws {
    if stores.isAppending {
      do {
        return try stores.destinationContext.bridge.saveChanges()
      } catch let error as PersistenceError where error.code == .managedObjectConstraintMerge {
        throw Self.violation(error)
      }
    }
    let source = stores.source.store.store.metadata
    let names = EntityCodePlan(mapping, source).formerNames
    try UnfinishedStore.finish(stores.destination.store) { metadata in
      // The progress of imports refers to record numbers, which have changed.
      metadata.userValues = source.userValues.filter { !$0.key.hasPrefix("roost.import ") }
      // Also those of earlier migrations, unless an entity has the name now.
      let former = (source.formerNames ?? [:]).merging(names) { $1 }
        .filter { metadata.entityCodes[$0.key] == nil }
      metadata.formerNames = former.isEmpty ? nil : former
      request.edit(&metadata, source)
    }
  }

  // MARK: Policies

  /// Calls a policy. An error of the program's own policy is wrapped.
  private func asking(
    _ mapping: CompiledMapping, _ object: ManagedObject? = nil,
    _ call: (EntityMigrationPolicy) throws -> Void
  ) throws {
    do {
      try call(mapping.policy)
    } catch {
      try manager.checkCancellation()
      guard mapping.hasOwnPolicy else { throw error }
      let known = error as? PersistenceError
      throw PersistenceError(
        .entityMigrationPolicy,
        "The migration policy \(type(of: mapping.policy)) of the mapping \(mapping.mapping.name) "
          + "threw an error" + (known.map { ": \($0.message)" } ?? "."),
        entityName: object?.entity.name ?? mapping.mapping.destinationEntityName, key: known?.key,
        objectIDs: object.map { [$0.objectID] } ?? known?.objectIDs ?? [],
        underlyingErrors: known.map { [$0] } ?? [], underlying: error)
    }
  }
}

/// The failures of a validation, as far as one error can carry them.
struct FailureList {
  let limit: Int
  private var failures: [PersistenceError] = []
  private var count = 0

  init(limit: Int) {
    self.limit = limit
  }

  mutating func add(_ new: [PersistenceError]) {
    count += new.count
    failures += new.prefix(limit - failures.count)
  }

  /// - Throws: The only failure, or `validationMultipleErrors` with all.
  func throwIfAny() throws {
    guard count != 1 || failures.isEmpty else { throw failures[0] }
    guard count > 0 else { return }
    throw PersistenceError(
      .validationMultipleErrors,
      count > failures.count
        ? "\(count) validations failed; the first \(failures.count) are named."
        : "\(count) validations failed.",
      objectIDs: failures.flatMap(\.objectIDs), underlyingErrors: failures)
  }
}
