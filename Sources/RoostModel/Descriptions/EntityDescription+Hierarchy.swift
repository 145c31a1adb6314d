// SPDX-License-Identifier: Apache-2.0

// While a model is being built, the hierarchy may contain cycles: every walk keeps track of visited entities.
extension EntityDescription {
  /// The superentities, the nearest first; ends at a repeated entity.
  var ancestors: [EntityDescription] {
    var result: [EntityDescription] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
    var next = superentity
    while let entity = next, seen.insert(ObjectIdentifier(entity)).inserted {
      result.append(entity)
      next = entity.superentity
    }
    return result
  }

  /// The last of the superentities, or the entity itself.
  var topmostEntity: EntityDescription { ancestors.last ?? self }

  /// The entity and its descendants, each once, superentities first.
  var withDescendants: [EntityDescription] {
    var result: [EntityDescription] = []
    var seen: Set<ObjectIdentifier> = []
    var open = [self]
    while let entity = open.popLast() {
      guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
      result.append(entity)
      open.append(contentsOf: entity.subentities.reversed())
    }
    return result
  }

  /// The direct subentities by name.
  public var subentitiesByName: [String: EntityDescription] {
    Dictionary(
      subentities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The root of the hierarchy: the entity itself when it has no superentity.
  public var rootEntity: EntityDescription { compiled?.rootEntity ?? topmostEntity }

  /// The entity and its descendants without abstract ones: the entities that can have instances.
  public var concreteEntities: [EntityDescription] {
    compiled?.concreteEntities ?? withDescendants.filter { !$0.isAbstract }
  }

  /// Whether the entity is `entity` or inherits from it.
  ///
  /// - Complexity: O(1) when the model is in use.
  public func isKindOf(entity: EntityDescription) -> Bool {
    if self === entity { return true }
    if let compiled, let other = entity.compiled {
      return compiled.rootEntity === other.rootEntity
        && other.preorder <= compiled.preorder && compiled.preorder <= other.lastPreorder
    }
    return self == entity || ancestors.contains { $0 == entity }
  }

  /// The uniqueness constraints that instances must satisfy, those of superentities first.
  public var allUniquenessConstraints: [[String]] {
    var result: [[String]] = []
    for entity in ancestors.reversed() + [self] {
      for constraint in entity.uniquenessConstraints where !result.contains(constraint) {
        result.append(constraint)
      }
    }
    return result
  }

  /// The indexes that cover instances, those of superentities first.
  public var allIndexes: [FetchIndexDescription] {
    (ancestors.reversed() + [self]).flatMap(\.indexes)
  }
}
