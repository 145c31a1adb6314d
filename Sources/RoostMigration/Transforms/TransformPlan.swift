// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects
import RoostStore

/// Combines inference and transforms in one mapping model, and checks every name before a record is read.
struct TransformPlan {
  let transforms: [EntityTransform]
  let source: ManagedObjectModel
  let destination: ManagedObjectModel
  let metadata: StoreMetadata
  let store: PersistentStoreDescription

  /// A transform with resolved names.
  private struct Resolved {
    let transform: EntityTransform
    let source: EntityDescription
    let destination: EntityDescription

    func sets(_ entity: EntityDescription, _ property: String) -> Bool {
      entity === destination && transform.set.contains(property)
    }
  }

  /// Returns the mapping model; nil when no transform concerns the store's configuration.
  ///
  /// - Throws: The error of an invalid transform, and `inferredMappingModel`.
  func mapping() throws -> MappingModel? {
    guard let (difference, resolved) = try resolved() else { return nil }
    return mapping(difference, resolved)
  }

  /// Throws when the migration would lose data, unless the policy allows it.
  ///
  /// - Parameter census: The census of a store whose change mark was taken before this call.
  /// - Throws: `migration` for losses that the policy forbids.
  func refuseLosses(_ census: StoreCensus) throws {
    guard !store.evolution.allowsLoss, let (difference, resolved) = try resolved() else { return }
    try refuse(losses(difference, resolved, census))
  }

  /// Returns the plan; nil when no transform concerns the store's configuration.
  func plan() throws -> MigrationPlan? {
    guard let (difference, resolved) = try resolved() else { return nil }
    let census = try StoreCensus(store, source)
    return try InPlacePlan(
      store: store, metadata: metadata, destination: destination, census: census
    ).plan(
      mapping(difference, resolved), changes: difference.changes.map(\.description),
      losses: losses(difference, resolved, census))
  }

  private func resolved() throws -> (ModelDifference, [Resolved])? {
    let old = oldEntities
    let new = try destination.storedEntities(ofConfiguration: store.configuration)
    let resolved = try transforms.map { try resolve($0) }.filter { one in
      old.contains { $0 === one.source } && new.contains { $0 === one.destination }
    }
    guard !resolved.isEmpty else { return nil }
    try checkOnce(resolved)
    let difference = try ModelDifference(
      from: old, to: new, allowsLosslessTypeChanges: store.evolution.allowsLosslessTypeChanges,
      isSet: { entity, property in resolved.contains { $0.sets(entity, property) } })
    return (difference, resolved)
  }

  private var oldEntities: [EntityDescription] {
    source.entities.filter { metadata.entityVersionHashes[$0.name ?? ""] != nil }
  }

  private func mapping(_ difference: ModelDifference, _ resolved: [Resolved]) -> MappingModel {
    let mapping = MappingModel(inferredFrom: difference) { entity, property in
      if resolved.contains(where: { $0.sets(entity, property.name) }) { return true }
      // A relationship that is set at one end is not copied at the other, which would overwrite it.
      guard let inverse = (property as? RelationshipDescription)?.inverseRelationship else {
        return false
      }
      return resolved.contains { one in
        one.transform.set.contains(inverse.name)
          && one.destination.propertiesByName[inverse.name] === inverse
      }
    }
    for one in resolved { add(one, to: mapping) }
    return mapping
  }

  private func add(_ one: Resolved, to mapping: MappingModel) {
    let (from, to) = (one.source.name, one.destination.name)
    let transform = one.transform
    if let inferred = mapping.entityMappings.first(where: {
      $0.sourceEntityName == from && $0.destinationEntityName == to
    }) {
      inferred.mappingType = .custom
      inferred.policyMaker = { TransformPolicy(transform) }
      return
    }
    // The one entity does not become the other by inference: neither the removal of the one nor the addition of the
    // other remains.
    mapping.entityMappings.removeAll {
      $0.sourceEntityName == from && $0.destinationEntityName == nil
        || $0.sourceEntityName == nil && $0.destinationEntityName == to
    }
    let entity = EntityMapping(from: from, to: to, type: .custom)
    entity.sourceEntityVersionHash = one.source.versionHash
    entity.destinationEntityVersionHash = one.destination.versionHash
    entity.policyMaker = { TransformPolicy(transform) }
    mapping.entityMappings.append(entity)
  }

  // MARK: - Names

  private func resolve(_ transform: EntityTransform) throws -> Resolved {
    let name = transform.sourceEntityName
    guard let old = source.entitiesByName[name] else {
      throw unknown(transform, "the old version of the model has no entity \(name).", name)
    }
    let new: EntityDescription
    switch transform.destination {
    case .name(let name):
      guard let found = destination.entitiesByName[name] else {
        throw unknown(transform, "the model has no entity \(name).", name)
      }
      new = found
    case .objectClass(let objectClass):
      guard let found = DestinationEntity.entity(of: objectClass, in: destination.entities) else {
        throw unknown(transform, "the model has no entity of the class \(objectClass).", nil)
      }
      new = found
    }
    for entity in [old, new] where entity.isAbstract {
      throw PersistenceError(
        .abstractEntity,
        "The transform of \(name) cannot be used: \(entity.name ?? "") is abstract and has no objects.",
        entityName: entity.name)
    }
    try check(transform.replaced, of: old, transform, "old")
    try check(transform.set, of: new, transform, "new")
    return Resolved(transform: transform, source: old, destination: new)
  }

  private func check(
    _ names: Set<String>, of entity: EntityDescription, _ transform: EntityTransform,
    _ version: String
  ) throws {
    let unknown = names.filter { entity.propertiesByName[$0] == nil }
      .sorted(by: UTF8Order.isLess)
    guard let first = unknown.first else { return }
    throw PersistenceError(
      .unknownKey,
      "The transform of \(transform.sourceEntityName) cannot be used: the entity "
        + "\(entity.name ?? "") of the \(version) version has no property "
        + unknown.map { "“\($0)”" }.joined(separator: ", ") + ".", entityName: entity.name,
      key: first)
  }

  private func unknown(
    _ transform: EntityTransform, _ reason: String, _ name: String?
  ) -> PersistenceError {
    PersistenceError(
      .unknownEntity,
      "The transform of \(transform.sourceEntityName) cannot be used: \(reason) If it is for another "
        + "version, name the versions that the CustomMigration is for.", entityName: name)
  }

  private func checkOnce(_ resolved: [Resolved]) throws {
    for (index, one) in resolved.enumerated()
    where resolved[..<index].contains(where: {
      $0.source === one.source && $0.destination === one.destination
    }) {
      throw PersistenceError(
        .migrationMissingMappingModel,
        "Two transforms make \(one.destination.name ?? "") of \(one.source.name ?? ""): do both in "
          + "one.", entityName: one.source.name)
    }
  }

  // MARK: - Losses

  /// Returns the losses that no transform preserves.
  private func losses(
    _ difference: ModelDifference, _ resolved: [Resolved], _ census: StoreCensus
  ) throws -> [MigrationPlan.Loss] {
    var count = LossCount(census, oldEntities)
    try count.add(difference) { change in
      resolved.contains { one in
        guard let key = change.key else { return one.source.name == change.entityName }
        let owners = sequence(first: one.destination) { $0.superentity }
        return one.transform.replaced.contains(key)
          && owners.contains { $0.name == change.entityName }
      }
    }
    return count.losses
  }

  private func refuse(_ losses: [MigrationPlan.Loss]) throws {
    guard !losses.isEmpty else { return }
    throw PersistenceError(
      .migration,
      "The migration would lose data, which the description's evolution policy forbids: "
        + losses.map { "\($0.count) of \($0.name)" }.joined(separator: ", ")
        + ". Name properties whose values a transform takes over in its `replacing`.")
  }
}
