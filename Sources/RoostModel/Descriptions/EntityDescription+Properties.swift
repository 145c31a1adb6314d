// SPDX-License-Identifier: Apache-2.0

extension EntityDescription {
  /// All properties, those of superentities first. When setting, inherited properties stay with their owners, and the
  /// indexes of the hierarchy are dropped.
  public var properties: [PropertyDescription] {
    get {
      if let compiled { return compiled.properties }
      return (ancestors.reversed() + [self]).flatMap(\.declaredProperties)
    }
    set {
      let inherited = Set(ancestors.flatMap(\.declaredProperties).map(ObjectIdentifier.init))
      declaredProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
    }
  }

  /// All properties by name, inherited ones too.
  public var propertiesByName: [String: PropertyDescription] {
    if let compiled { return compiled.propertiesByName }
    return Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// All attributes by name, inherited ones too.
  public var attributesByName: [String: AttributeDescription] {
    if let compiled { return compiled.attributesByName }
    return Dictionary(
      attributesInOrder.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// All relationships by name, inherited ones too.
  public var relationshipsByName: [String: RelationshipDescription] {
    if let compiled { return compiled.relationshipsByName }
    return Dictionary(
      relationshipsInOrder.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// All fetched properties by name, inherited ones too.
  public var fetchedPropertiesByName: [String: FetchedPropertyDescription] {
    Dictionary(
      properties.compactMap { $0 as? FetchedPropertyDescription }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// All attributes, those of superentities first; a composite counts as one.
  public var attributesInOrder: [AttributeDescription] {
    compiled?.attributes ?? properties.compactMap { $0 as? AttributeDescription }
  }

  /// All relationships, those of superentities first: the order of ``RelationshipDescription/ordinal``.
  public var relationshipsInOrder: [RelationshipDescription] {
    compiled?.relationships ?? properties.compactMap { $0 as? RelationshipDescription }
  }

  /// The property with a name, inherited or not.
  ///
  /// - Complexity: O(1) when the model is in use.
  public func property(named name: String) -> PropertyDescription? {
    compiled?.propertiesByName[name] ?? (compiled == nil ? propertiesByName[name] : nil)
  }

  /// The relationships that lead to `entity` itself.
  public func relationships(forDestination entity: EntityDescription) -> [RelationshipDescription] {
    relationshipsInOrder.filter { $0.destinationEntity === entity }
  }
}

// MARK: - Rows

extension EntityDescription {
  /// The layout of the entity's rows, when the model is in use.
  public var layout: RowLayout {
    guard let compiledLayout else {
      preconditionFailure("The layout of an entity is known once its model is in use.")
    }
    return compiledLayout
  }

  /// Returns a row in which every attribute has its default value and all else is nil, when the model is in use.
  ///
  /// - Complexity: One allocation.
  public func makeDefaultRow(key: Int64, version: Int64) -> Row {
    guard let compiledDefaults else {
      preconditionFailure("The defaults of an entity are known once its model is in use.")
    }
    return compiledDefaults.copy(key: key, version: version)
  }
}

extension EntityDescription: Sequence {
  /// Iterates over all properties, including inherited ones.
  public func makeIterator() -> IndexingIterator<[PropertyDescription]> {
    properties.makeIterator()
  }
}
