// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension ManagedObjectModel {
  /// Checks the model, compiles it and forbids further changes (B1). Does nothing when the model is in use already.
  ///
  /// - Throws: `invalidModel` with all faults of the model as underlying errors; the model is unchanged then.
  package func freeze() throws {
    try freezing.withLock { _ in
      if isFrozen { return }
      try check()
      for entity in entities { entity.freezeParts() }
      for root in entities where root.superentity == nil {
        for entity in root.withDescendants { entity.freeze() }
      }
      compiled = ModelCompiler(model: self).compile()
      isFrozen = true
    }
  }

  /// Returns the entity whose instances are of a class; nil when there is none, or more than one.
  ///
  /// - Complexity: O(1) when the model is in use.
  public func entity(forClass identifier: ObjectIdentifier) -> EntityDescription? {
    if isFrozen, let compiled { return compiled.entitiesByClass[identifier] }
    let matches = entities.filter { entity in
      entity.managedObjectClass.map { ObjectIdentifier($0) == identifier } ?? false
    }
    return matches.count == 1 ? matches[0] : nil
  }

  /// The tables of links of to-many relationships without a to-one side, by name, when the model is in use.
  public var linkTables: [LinkTable] { compiled?.linkTables ?? [] }

  /// Whether a relationship of the model may lead from one store into another, when the model is in use.
  package var hasRelationshipsAcrossStores: Bool {
    compiled?.hasRelationshipsAcrossStores ?? false
  }
}

extension EntityDescription {
  /// Forbids further changes to what belongs to the entity, and computes the hashes.
  func freezeParts() {
    for case let composite as CompositeAttributeDescription in declaredProperties {
      for element in composite.allElements {
        element.owner.set(self)
        element.freeze()
      }
    }
    for property in declaredProperties { property.freeze() }
    for index in indexes { index.freeze() }
  }

  /// Forbids further changes to the entity itself; the superentity is frozen already.
  func freeze() {
    frozenVersionHash = VersionHash.entity(
      self, properties: properties, superhash: superentity?.frozenVersionHash)
    isFrozen = true
  }
}
