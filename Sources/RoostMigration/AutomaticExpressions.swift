// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The expressions that Xcode's mapping model compiler adds where the editor has none: the property of the same name,
/// and for relationships the objects that the mappings have made from the relationship's destinations.
struct AutomaticExpressions {
  let mapping: MappingModel
  let source: EntityDescription?
  let destination: EntityDescription?
  let sourceModel: ManagedObjectModel
  let destinationModel: ManagedObjectModel

  /// The expression of a property without one; nil when there is no such property in the source.
  func expression(for property: PropertyMapping) -> MappingExpression? {
    guard property.isAutomatic, let name = property.name, let source, let destination else {
      return nil
    }
    if destination.attributesByName[name] != nil {
      return source.attributesByName[name] == nil ? nil : .source(name)
    }
    guard let old = source.relationshipsByName[name]?.destinationEntity,
      let new = destination.relationshipsByName[name]?.destinationEntity
    else { return nil }
    let able = mapping.entityMappings.filter { candidate in
      guard let from = candidate.sourceEntityName, let to = candidate.destinationEntityName else {
        return false
      }
      return sourceModel.entitiesByName[from]?.isKindOf(entity: old) == true
        && destinationModel.entitiesByName[to]?.isKindOf(entity: new) == true
    }
    guard let only = able.first else { return nil }
    return .destinations(of: name, by: able.count == 1 ? only.name : nil)
  }
}
