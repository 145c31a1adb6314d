// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// A version of a model for migration tests: entities by short descriptions.
struct ModelVersion: Sendable {
  let model: ManagedObjectModel
  let text: [UInt8]

  /// Makes the model.
  ///
  /// - Parameters:
  ///   - text: A stand-in for the canonical text of the model.
  ///   - describe: Makes the entities.
  init(_ text: String, _ describe: () -> [EntityDescription]) throws {
    model = ManagedObjectModel(entities: describe())
    try model.freeze()
    self.text = Array(text.utf8)
  }

  func schema(_ identity: StoreIdentity, codes: [String: Int]) throws -> StoreSchema {
    let text = text
    return try StoreSchema(
      identity: identity, model: model, configuration: nil, codes: codes, modelText: { text })
  }

  func entity(_ name: String) -> EntityDescription {
    guard let entity = model.entitiesByName[name] else { preconditionFailure("No \(name).") }
    return entity
  }

  /// Sets the metadata of the version.
  func describe(_ metadata: inout StoreMetadata, codes: [String: Int]) {
    metadata.entityCodes = codes
    metadata.entityVersionHashes = model.entityVersionHashesByName
    metadata.versionChecksum = model.versionChecksum
    metadata.keepsModel = true
  }

  /// Returns the change from an earlier version: entities and properties are matched by their renaming identifiers.
  ///
  /// - Returns: The change, and the metadata that the store has afterwards.
  func change(
    from old: ModelVersion, of store: any PersistentStore
  ) throws -> (change: SchemaChange, metadata: StoreMetadata) {
    let before = store.metadata
    var codes = before.entityCodes
    var next = (codes.values.max() ?? 0) + 1
    var pairs: [EntityMatch] = []
    for entity in model.entities {
      let name = entity.name ?? ""
      if let source = old.model.entitiesByName[entity.renamingIdentifier ?? name] {
        pairs.append(EntityMatch(source, entity, properties: Self.match(source, entity)))
        let code = codes[source.name ?? ""]
        if source.name != name { codes[source.name ?? ""] = nil }
        codes[name] = code
      } else {
        codes[name] = next
        next += 1
      }
    }
    var metadata = before
    describe(&metadata, codes: codes)
    metadata.epoch = (before.epoch ?? 0) + 1
    let change = SchemaChange(
      source: try old.schema(store.identity, codes: before.entityCodes),
      destination: try schema(store.identity, codes: codes), metadata: before, pairs: pairs)
    return (change, metadata)
  }

  private static func match(
    _ source: EntityDescription, _ destination: EntityDescription
  ) -> [EntityMatch.PropertyMatch] {
    destination.propertiesByName.values.compactMap { property in
      guard let old = source.propertiesByName[property.renamingIdentifier ?? property.name] else {
        return nil
      }
      var conversion: ValueConversion?
      if let old = old as? AttributeDescription, let new = property as? AttributeDescription {
        switch (old.type, new.type) {
        case (.integer32, .double): conversion = .integerToDouble
        case (.string, .uri): conversion = .stringToURI
        case (.uri, .string): conversion = .uriToString
        default: break
        }
      }
      return EntityMatch.PropertyMatch(old, property, conversion: conversion)
    }
  }
}

// MARK: - Short ways to describe

func entity(
  _ name: String, was: String? = nil, isAbstract: Bool = false, unique: [[String]] = [],
  indexed: [String] = [], under parent: EntityDescription? = nil,
  _ properties: PropertyDescription...
) -> EntityDescription {
  let entity = EntityDescription(name: name)
  entity.properties = properties
  entity.isAbstract = isAbstract
  if let was { entity.renamingIdentifier = was }
  if let parent { parent.subentities.append(entity) }
  entity.uniquenessConstraints = unique
  entity.indexes = indexed.map {
    FetchIndexDescription(
      name: "by-\($0)", elements: [FetchIndexElementDescription(propertyName: $0)])
  }
  return entity
}

func attribute(
  _ name: String, _ type: AttributeType, was: String? = nil, default value: Value = .null,
  isOptional: Bool = true
) -> AttributeDescription {
  let attribute = AttributeDescription(name: name, type: type)
  attribute.isOptional = isOptional
  attribute.defaultConstant = value
  if let was { attribute.renamingIdentifier = was }
  return attribute
}

func derived(_ name: String, _ type: AttributeType, _ expression: String) -> PropertyDescription {
  let attribute = DerivedAttributeDescription(name: name, type: type)
  attribute.isOptional = true
  attribute.derivationExpression = UnparsedExpression(expression)
  return attribute
}

func toOne(
  _ name: String, _ destination: EntityDescription, was: String? = nil
) -> RelationshipDescription {
  let relationship = RelationshipDescription(name: name, destination: destination, maxCount: 1)
  relationship.isOptional = true
  if let was { relationship.renamingIdentifier = was }
  return relationship
}

func toMany(
  _ name: String, _ destination: EntityDescription, was: String? = nil, isOrdered: Bool = false
) -> RelationshipDescription {
  let relationship = RelationshipDescription(name: name, destination: destination)
  relationship.isOptional = true
  relationship.isOrdered = isOrdered
  if let was { relationship.renamingIdentifier = was }
  return relationship
}

/// Makes two relationships inverses of each other, and adds them to their entities.
func connect(
  _ left: RelationshipDescription, of owner: EntityDescription, _ right: RelationshipDescription,
  of other: EntityDescription
) {
  left.inverseRelationship = right
  right.inverseRelationship = left
  owner.properties.append(left)
  if left !== right { other.properties.append(right) }
}
