// SPDX-License-Identifier: Apache-2.0

extension ModelCheck {
  /// Uniqueness constraints: stored attributes and to-one relationships of the entity (B14).
  mutating func checkConstraints(of entity: EntityDescription) {
    for constraint in entity.uniquenessConstraints {
      let text = constraint.joined(separator: ", ").prefix(200)
      if constraint.isEmpty { report("A uniqueness constraint names no property.", entity) }
      if Set(constraint).count != constraint.count {
        report("The uniqueness constraint “\(text)” names a property twice.", entity)
      }
      for name in constraint {
        guard let property = leaf(named: name, of: entity) else {
          report("The uniqueness constraint “\(text)” names the unknown “\(name)”.", entity, name)
          continue
        }
        if !isStoredValue(property) {
          report(
            "The uniqueness constraint “\(text)” names “\(name)”, which is neither a stored attribute "
              + "nor a stored to-one relationship.", entity, name)
        }
      }
    }
  }

  /// Whether a property has one stored value per record, as constraints and indexes require.
  private func isStoredValue(_ property: PropertyDescription) -> Bool {
    switch property {
    case let attribute as AttributeDescription:
      attribute.isStored && !(attribute is CompositeAttributeDescription)
    case let relationship as RelationshipDescription:
      !relationship.isToMany && !relationship.isTransient
    default: false
    }
  }

  /// Indexes: names, elements, no mixture of kinds (B13).
  mutating func checkIndexes(of entity: EntityDescription) {
    var names: Set<String> = []
    for index in entity.indexes {
      if index.name.isEmpty || index.name.unicodeScalars.contains("\0") {
        report("The name of an index is empty or contains a NUL character.", entity, index.name)
      }
      if !names.insert(index.name).inserted {
        report("Two indexes have the name “\(index.name)”.", entity, index.name)
      }
      if index.entity !== entity {
        report("The index “\(index.name)” belongs to another entity too.", entity, index.name)
      }
      if index.elements.isEmpty {
        report("The index “\(index.name)” has no elements.", entity, index.name)
      }
      if Set(index.elements.map(\.collationType)).count > 1 {
        report(
          "The index “\(index.name)” mixes R-tree and binary elements.", entity, index.name)
      }
      for element in index.elements { checkElement(element, of: index, entity) }
    }
  }

  private mutating func checkElement(
    _ element: FetchIndexElementDescription, of index: FetchIndexDescription,
    _ entity: EntityDescription
  ) {
    let name = element.propertyName ?? ""
    // Made for a fault only: most indexes have none.
    var intro: String { "The index “\(index.name)”" }
    if element.property is ExpressionDescription {
      if element.collationType == .rTree {
        report("\(intro) has an R-tree element that is no property.", entity, name)
      }
      return
    }
    guard let property = leaf(named: name, of: entity),
      element.property.map({ $0 === property }) ?? true
    else {
      report("\(intro) names “\(name)”, which is no property of the entity.", entity, name)
      return
    }
    switch property {
    case let attribute as AttributeDescription:
      if !attribute.isStored || attribute is CompositeAttributeDescription {
        report("\(intro) names “\(name)”, which has no stored value.", entity, name)
      }
    case let relationship as RelationshipDescription where !relationship.isToMany:
      if relationship.isTransient {
        report("\(intro) names “\(name)”, which has no stored value.", entity, name)
      }
    default: report("\(intro) names “\(name)”, which has no single value.", entity, name)
    }
    if element.collationType == .rTree { checkRTree(property, of: index, entity) }
  }

  private mutating func checkRTree(
    _ property: PropertyDescription, of index: FetchIndexDescription, _ entity: EntityDescription
  ) {
    let types: Set<AttributeType> = [.integer16, .integer32, .float]
    let type = (property as? AttributeDescription)?.type
    guard let type, types.contains(type), !property.isOptional else {
      report(
        "The index “\(index.name)” has an R-tree element that is optional or no number of up to 32 "
          + "bits.", entity, property.name)
      return
    }
  }

  /// The property with a name, or the leaf of a composite with a dotted name.
  private mutating func leaf(
    named name: String, of entity: EntityDescription
  ) -> PropertyDescription? {
    if let property = properties[entity][name] { return property }
    guard let dot = name.firstIndex(of: "."),
      let composite = properties[entity][String(name[..<dot])] as? CompositeAttributeDescription
    else { return nil }
    if let known = leaves[ObjectIdentifier(composite)] { return known[name] }
    let found = Dictionary(
      composite.leaves.map { ($0.name, $0.attribute) }, uniquingKeysWith: { first, _ in first })
    leaves[ObjectIdentifier(composite)] = found
    return found[name]
  }
}
