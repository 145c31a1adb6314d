// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// Opens a store with another version of its model without a migration, as far as no value is read wrongly (B247).
///
/// What the store has not recorded reads as nil, or gets the default of an attribute that must have a value. A change
/// that only a migration can follow is refused, with its name, before anything is written.
struct IgnoredVersions {
  let metadata: StoreMetadata
  let entities: [EntityDescription]
  let hashes: [String: Data]

  /// Whether the store was written with another version of the model.
  var areDifferent: Bool {
    !metadata.entityVersionHashes.isEmpty
      && (metadata.entityVersionHashes != hashes
        || !ShapedEntities(entities).differences(from: metadata).isEmpty)
  }

  // MARK: Refusing

  /// Compares each entity with what the store's records consist of.
  ///
  /// - Throws: `persistentStoreIncompatibleSchema`.
  func check() throws {
    guard let shapes = metadata.entityShapes else { return }
    let names = Set(entities.compactMap(\.name))
    for entity in entities {
      guard let name = entity.name else { continue }
      if let text = shapes[name] {
        guard let stored = EntityShape(text) else {
          throw PersistenceError(
            .corruptStore, "The store's account of its entities cannot be read.", entityName: name)
        }
        try check(entity, stored)
      } else if let old = entity.renamingIdentifier, old != name, shapes[old] != nil,
        !names.contains(old)
      {
        throw refusal("the entity \(old) is now called \(name)", name)
      }
    }
  }

  private func check(_ entity: EntityDescription, _ stored: EntityShape) throws {
    let name = entity.name ?? ""
    let shape = EntityShape(entity)
    guard shape.superentity == stored.superentity else {
      throw refusal("the entity \(name) has another superentity", name)
    }
    for property in entity.properties {
      let key = property.name
      guard let type = shape.types[key] else { continue }
      guard let storedType = stored.types[key] else {
        if let old = property.renamingIdentifier, old != key, stored.types[old] != nil,
          shape.types[old] == nil
        {
          throw refusal("the property \(old) is now called \(key)", name, key)
        }
        try requireReadable(property, isNew: true, name)
        continue
      }
      guard type == storedType else {
        throw refusal("\(key) was \(storedType) and is now \(type)", name, key)
      }
      if stored.optional.contains(key), !shape.optional.contains(key) {
        try requireReadable(property, isNew: false, name)
      }
    }
  }

  /// Refuses a property that the old records cannot have a right value of.
  private func requireReadable(
    _ property: PropertyDescription, isNew: Bool, _ entity: String
  ) throws {
    let key = property.name
    switch property {
    case is DerivedAttributeDescription:
      throw refusal("the derived attribute \(key) is new", entity, key)
    case let composite as CompositeAttributeDescription:
      let isRequired = composite.allElements.contains { !$0.isOptional }
      guard composite.isOptional, !isRequired else {
        throw refusal("the composite attribute \(key) must have a value", entity, key)
      }
    case let attribute as AttributeDescription:
      guard attribute.isOptional || !attribute.defaultConstant.isNull else {
        throw refusal("\(key) must have a value, and has no default", entity, key)
      }
    case let relationship as RelationshipDescription:
      guard relationship.isOptional || relationship.isToMany && relationship.minCount == 0 else {
        throw refusal("the relationship \(key) must have a destination", entity, key)
      }
    default: break
    }
  }

  private func refusal(_ change: String, _ entity: String, _ key: String? = nil) -> PersistenceError
  {
    PersistenceError(
      .persistentStoreIncompatibleSchema,
      "The store was written with another version of the model, and can only be read with this one "
        + "after a migration: in \(entity), \(change).", entityName: entity, key: key)
  }

  // MARK: Filling

  /// The attributes of an entity that must have a value, with their defaults.
  private func defaults(_ entity: EntityDescription) -> [(slot: RowSlot, value: Value)] {
    guard !entity.isAbstract, let name = entity.name,
      metadata.entityVersionHashes[name] != nil,
      metadata.entityVersionHashes[name] != hashes[name]
    else { return [] }
    return entity.attributesInOrder.compactMap { attribute in
      guard !attribute.isOptional, !attribute.isTransient, !attribute.defaultConstant.isNull,
        !(attribute is CompositeAttributeDescription), !(attribute is DerivedAttributeDescription),
        let slot = entity.layout.slot(named: attribute.name)
      else { return nil }
      let value = attribute.defaultConstant
      return (slot, value.coerced(to: attribute.type) ?? value)
    }
  }

  /// Whether records may lack a value that the model has a default for.
  var mayLackDefaults: Bool { entities.contains { !defaults($0).isEmpty } }

  /// Gives the records that lack a value which they must have the default, batch by batch. Until all have it the store
  /// says that it is of the old version, so that an interrupted run begins again.
  ///
  /// - Throws: `readOnlyStore` when the store cannot be written, or what it throws.
  func fill(_ store: AttachedStore) throws {
    for entity in entities {
      let defaults = defaults(entity)
      guard !defaults.isEmpty else { continue }
      let fetch = ResolvedFetch(entity: entity, entities: [entity], result: .keys)
      guard case .keys(let keys) = try StoreFetch(store: store, fillsRowCache: false).run(fetch)
      else { continue }
      var batches = CopyBatches(keys: keys, largest: 1_000, weightLimit: .max)
      while let batch = batches.next() {
        batches.weigh(0)
        let updates = try store.storedRows(forKeys: Array(batch)).compactMap {
          try update(of: $0, defaults)
        }
        guard !updates.isEmpty else { continue }
        guard !store.isReadOnly else {
          throw PersistenceError(
            .readOnlyStore,
            "Records lack values that the model demands. Open the store for writing once.",
            entityName: entity.name, store: store.displayName)
        }
        try write(updates, store, entity)
      }
    }
  }

  private func update(
    of row: Row, _ defaults: [(slot: RowSlot, value: Value)]
  ) throws -> RowUpdate? {
    let missing = defaults.filter { row.isNull($0.slot) }
    guard !missing.isEmpty else { return nil }
    let changed = row.copy(version: row.version + 1)
    for (slot, value) in missing { try changed.setValue(value, at: slot) }
    return RowUpdate(
      row: changed, baseVersion: row.version, changedSlots: missing.map(\.slot.index).sorted())
  }

  private func write(
    _ updates: [RowUpdate], _ store: AttachedStore, _ entity: EntityDescription
  ) throws {
    switch try store.requesting({ try $0.commit(StoreChangeSet(updated: updates)) }) {
    case .committed: return
    case .conflicted(let conflicts):
      let isUnique = conflicts.contains { if case .uniqueness = $0 { true } else { false } }
      throw PersistenceError(
        isUnique ? .migrationConstraintViolation : .storeBusy,
        isUnique
          ? "The default of a new attribute is not unique, as the model wants it."
          : "Others wrote the store while records got the defaults of new attributes.",
        entityName: entity.name, store: store.displayName)
    }
  }
}
