// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension MappingModel {
  /// Infers the mapping model from two models, as adding a store does.
  ///
  /// ```swift
  /// let mapping = try MappingModel.inferredMappingModel(
  ///   forSourceModel: old, destinationModel: new)
  /// ```
  /// - Parameters:
  ///   - sourceModel: The earlier model.
  ///   - destinationModel: The later one. Its renaming identifiers give the earlier names.
  /// - Returns: The mapping model, with a mapping for each entity that is not abstract.
  /// - Throws: ``PersistenceError`` with code `inferredMappingModel` exactly when a store of the one cannot be added
  ///   with the other; the message names every change that cannot be inferred.
  /// - Complexity: No store is accessed.
  public static func inferredMappingModel(
    forSourceModel sourceModel: ManagedObjectModel,
    destinationModel: ManagedObjectModel
  ) throws -> MappingModel {
    let difference = try ModelDifference(from: sourceModel, to: destinationModel)
    return MappingModel(inferredFrom: difference)
  }

  /// Makes the mapping model that follows from a difference.
  ///
  /// - Parameter isSet: Whether the program gives a property of a new entity its values, so that nothing is copied.
  convenience init(
    inferredFrom difference: ModelDifference,
    isSet: (EntityDescription, PropertyDescription) -> Bool = { _, _ in false }
  ) {
    self.init(entityMappings: InferredMapping(difference, isSet).mappings)
    isInferred = true
  }
}

/// Writes a difference of models as mappings.
private struct InferredMapping {
  private(set) var mappings: [EntityMapping] = []

  init(
    _ difference: ModelDifference, _ isSet: (EntityDescription, PropertyDescription) -> Bool
  ) {
    for pair in difference.entities where !pair.destination.isAbstract {
      mappings.append(Self.mapping(of: pair, isSet))
    }
    for entity in difference.removedEntities where !entity.isAbstract {
      let removed = EntityMapping(from: entity.name, to: nil)
      removed.sourceEntityVersionHash = entity.versionHash
      mappings.append(removed)
    }
  }

  private static func mapping(
    of pair: ModelDifference.EntityPair,
    _ isSet: (EntityDescription, PropertyDescription) -> Bool
  ) -> EntityMapping {
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
    for property in pair.properties where !isSet(pair.destination, property.destination) {
      let name = property.destination.name
      let old = source == nil ? nil : property.sourceName
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
