// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// Opens a store with another version of its model without a migration, as long as no value would be misread (B247).
///
/// Properties that the store has not recorded read as nil, or are filled with the default of a required attribute. A
/// change that requires a migration is refused, by name, before anything is written.
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

  /// Compares each entity with the shape of the store's records.
  ///
  /// - Parameter source: The model that the store was written with, if available. It identifies renamed properties;
  ///   without it, every property with a renaming identifier that the store knows is refused.
  /// - Throws: `persistentStoreIncompatibleSchema`.
  func check(_ source: ManagedObjectModel?) throws {
    let written = source?.entities.filter { metadata.entityVersionHashes[$0.name ?? ""] != nil }
    guard let shapes = metadata.entityShapes ?? written.map(Self.shapes) else {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema,
        "The store was written with another version of the model, and does not describe the "
          + "properties of its records. Open it once with the model that it was written with.")
    }
    let names = written.map { EarlierNames(from: $0, to: entities) }
    for entity in entities {
      guard let name = entity.name else { continue }
      let earlier = names?[name]
      let old =
        names == nil ? entity.renamingIdentifier : earlier?.name ?? entity.renamingIdentifier
      if let old, old != name, shapes[old] != nil {
        throw refusal("the entity \(old) is now called \(name)", name)
      }
      guard let text = shapes[name] else { continue }
      guard let stored = EntityShape(text) else {
        throw PersistenceError(
          .corruptStore, "The store's account of its entities cannot be read.", entityName: name)
      }
      try check(entity, stored, earlier)
    }
  }

  private static func shapes(_ entities: [EntityDescription]) -> [String: String] {
    Dictionary(
      entities.map { ($0.name ?? "", EntityShape($0).text) },
      uniquingKeysWith: { first, _ in first })
  }

  private func check(
    _ entity: EntityDescription, _ stored: EntityShape, _ earlier: EarlierNames.Entity?
  ) throws {
    let name = entity.name ?? ""
    let shape = EntityShape(entity)
    guard shape.superentity == stored.superentity else {
      throw refusal("the entity \(name) has another superentity", name)
    }
    for property in entity.properties {
      let key = property.name
      guard let type = shape.types[key] else { continue }
      try checkName(of: property, stored, earlier, name)
      guard let storedType = stored.types[key] else {
        try requireReadable(property, isNew: true, name)
        continue
      }
      guard type == storedType else {
        throw refusal("\(key) was \(storedType) and is now \(type)", name, key)
      }
      if let composite = property as? CompositeAttributeDescription {
        try checkElements(composite.elements, "\(key).", earlier, name)
      }
      if stored.optional.contains(key), !shape.optional.contains(key) {
        try requireReadable(property, isNew: false, name)
      }
    }
  }

  /// Throws for a property whose values are stored under another name, even if the store also has a property of its
  /// current name.
  private func checkName(
    of property: PropertyDescription, _ stored: EntityShape, _ earlier: EarlierNames.Entity?,
    _ entity: String
  ) throws {
    let key = property.name
    let old = earlier?.properties[key] ?? property.renamingIdentifier
    if let old, old != key, stored.types[old] != nil {
      throw refusal("the property \(old) is now called \(key)", entity, key)
    }
    // The name now denotes another property, while the store has the values of the old one.
    if let earlier, earlier.properties[key] == nil, stored.types[key] != nil,
      earlier.properties.contains(where: { $0.value == key })
    {
      throw refusal("the property \(key) is another one now", entity, key)
    }
  }

  /// Does the same for the elements of a composite attribute, whose types match those of the store.
  private func checkElements(
    _ elements: [PropertyDescription], _ path: String, _ earlier: EarlierNames.Entity?,
    _ entity: String
  ) throws {
    for element in elements {
      let key = path + element.name
      let identifier = element.renamingIdentifier.flatMap { name in
        elements.contains { $0.name == name } ? path + name : nil
      }
      if let old = earlier?.properties[key] ?? identifier, old != key {
        throw refusal("the element \(old) is now called \(key)", entity, key)
      }
      if let composite = element as? CompositeAttributeDescription {
        try checkElements(composite.elements, "\(key).", earlier, entity)
      }
    }
  }

  /// Throws for a property that has no correct value in old records.
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
      guard attribute.isOptional || !attribute.initialValue.isNull else {
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

  /// Returns the required attributes of an entity, with their defaults.
  private func defaults(_ entity: EntityDescription) -> [(slot: RowSlot, value: Value)] {
    guard !entity.isAbstract, let name = entity.name,
      metadata.entityVersionHashes[name] != nil,
      metadata.entityVersionHashes[name] != hashes[name]
    else { return [] }
    return entity.attributesInOrder.compactMap { attribute in
      guard !attribute.isOptional, !attribute.isTransient,
        !(attribute is CompositeAttributeDescription), !(attribute is DerivedAttributeDescription),
        let slot = entity.layout.slot(named: attribute.name)
      else { return nil }
      let value = entity.storedDefault(at: slot)
      return value.isNull ? nil : (slot, value)
    }
  }

  /// Whether records may lack a value for which the model has a default.
  var mayLackDefaults: Bool { entities.contains { !defaults($0).isEmpty } }

  /// Fills missing required values with their defaults, in batches. Until all are filled, the store's metadata keep
  /// the old version, so that an interrupted run starts again.
  ///
  /// - Throws: `readOnlyStore` when the store cannot be written, or the error of the store.
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
