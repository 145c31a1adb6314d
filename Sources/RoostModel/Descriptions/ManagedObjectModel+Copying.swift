// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
  /// Returns a model with copies of everything, which can be changed; this one stays as it is.
  ///
  /// ```swift
  /// let next = model.copy()
  /// next.entitiesByName["Person"]?.properties.append(nickname)
  /// ```
  public func copy() -> ManagedObjectModel {
    var copies = DescriptionCopies()
    copies.add(entities)
    let model = ManagedObjectModel(entities: copies.entities)
    model.versionIdentifiers = versionIdentifiers
    model.localizationDictionary = localizationDictionary
    model.entitiesByConfiguration = entitiesByConfiguration.mapValues { copies.copies(of: $0) }
    model.templates = templates
    model.readingNotes = readingNotes
    return model
  }
}

/// Copies of entities that refer to one another as the originals do.
struct DescriptionCopies {
  /// The copies in the order of their originals.
  private(set) var entities: [EntityDescription] = []
  private var entityCopies: [ObjectIdentifier: EntityDescription] = [:]
  private var propertyCopies: [ObjectIdentifier: PropertyDescription] = [:]

  /// Copies entities, which may refer to one another and to those that were added before.
  mutating func add(_ originals: [EntityDescription]) {
    for original in originals where entityCopies[ObjectIdentifier(original)] == nil {
      let copy = original.copy()
      entityCopies[ObjectIdentifier(original)] = copy
      entities.append(copy)
      for (property, propertyCopy) in zip(original.declaredProperties, copy.declaredProperties) {
        propertyCopies[ObjectIdentifier(property)] = propertyCopy
      }
    }
    for original in originals { connect(original) }
    for original in originals { copyIndexes(of: original) }
  }

  /// The copies of entities, without those that were never copied.
  func copies(of originals: [EntityDescription]) -> [EntityDescription] {
    originals.compactMap { entityCopies[ObjectIdentifier($0)] }
  }

  private func connect(_ original: EntityDescription) {
    guard let copy = entityCopies[ObjectIdentifier(original)] else { return }
    if !original.subentities.isEmpty {
      copy.replaceSubentities(original.subentities.map { entityCopies[ObjectIdentifier($0)] ?? $0 })
    }
    for case let relationship as RelationshipDescription in copy.declaredProperties {
      if let destination = relationship.destinationEntity {
        relationship.destinationEntity = entityCopies[ObjectIdentifier(destination)] ?? destination
      }
      if let inverse = relationship.inverseRelationship {
        relationship.inverseRelationship =
          propertyCopies[ObjectIdentifier(inverse)] as? RelationshipDescription ?? inverse
      }
    }
  }

  /// Makes the indexes, which the copied hierarchy has dropped (B12).
  private func copyIndexes(of original: EntityDescription) {
    guard let copy = entityCopies[ObjectIdentifier(original)], !original.indexes.isEmpty else {
      return
    }
    copy.indexes = original.indexes.map { index in
      let indexCopy = index.copy()
      for element in indexCopy.elements {
        guard let property = element.property else { continue }
        element.property = propertyCopies[ObjectIdentifier(property)] ?? property.copyUnlessOwned()
      }
      return indexCopy
    }
  }
}

extension PropertyDescription {
  /// A copy of an index's expression; the property itself when it belongs to an entity.
  fileprivate func copyUnlessOwned() -> PropertyDescription {
    entity == nil ? copy() : self
  }
}
