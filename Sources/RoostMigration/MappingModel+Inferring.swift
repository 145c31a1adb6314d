// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension MappingModel {
  /// Makes the mapping model that follows from two models: what adding a store does by itself.
  ///
  /// ```swift
  /// let mapping = try MappingModel.inferredMappingModel(
  ///   forSourceModel: old, destinationModel: new)
  /// ```
  /// - Parameters:
  ///   - sourceModel: The earlier model.
  ///   - destinationModel: The later one. Its renaming identifiers say what is called otherwise now.
  /// - Returns: The mapping model, with a mapping for each entity that is not abstract.
  /// - Throws: ``PersistenceError`` with code `inferredMappingModel` exactly when a store of the one cannot be added with
  ///   the other; the message names every change that cannot be inferred.
  /// - Complexity: No store is asked.
  public static func inferredMappingModel(
    forSourceModel sourceModel: ManagedObjectModel,
    destinationModel: ManagedObjectModel
  ) throws -> MappingModel {
    let difference = try ModelDifference(
      from: sourceModel.entities, to: destinationModel.entities)
    return InferredMapping(difference, sourceModel).mapping
  }
}

/// Writes a difference of models as mappings.
private struct InferredMapping {
  let mapping = MappingModel()

  init(_ difference: ModelDifference, _ sourceModel: ManagedObjectModel) {
    mapping.isInferred = true
    var claimed: Set<String> = []
    for pair in difference.entities {
      if let name = pair.source?.name { claimed.insert(name) }
      guard !pair.destination.isAbstract else { continue }
      mapping.entityMappings.append(Self.mapping(of: pair))
    }
    for entity in sourceModel.entities where !entity.isAbstract {
      guard let name = entity.name, !claimed.contains(name) else { continue }
      let removed = EntityMapping(from: name, to: nil)
      removed.sourceEntityVersionHash = entity.versionHash
      mapping.entityMappings.append(removed)
    }
  }

  private static func mapping(of pair: ModelDifference.Entity) -> EntityMapping {
    // An abstract entity had no objects.
    let source = pair.source.flatMap { $0.isAbstract ? nil : $0 }
    let mapping = EntityMapping(from: source?.name, to: pair.destination.name)
    mapping.sourceEntityVersionHash = source?.versionHash
    mapping.destinationEntityVersionHash = pair.destination.versionHash
    if let source, source.versionHash == pair.destination.versionHash {
      mapping.mappingType = .copy
    }
    var attributes: [PropertyMapping] = []
    var relationships: [PropertyMapping] = []
    for property in pair.properties {
      let name = property.destination.name
      let old = source == nil ? nil : property.source?.name
      switch property.destination {
      case let attribute as AttributeDescription where !(attribute is DerivedAttributeDescription):
        attributes.append(PropertyMapping(name: name, valueExpression: old.map { .source($0) }))
      case is RelationshipDescription:
        relationships.append(
          PropertyMapping(name: name, valueExpression: old.map { .destinations(of: $0) }))
      default: break
      }
    }
    mapping.attributeMappings = attributes
    mapping.relationshipMappings = relationships
    return mapping
  }
}
