// SPDX-License-Identifier: Apache-2.0

extension XcodeModelReader {
  /// Reads indexes, including those of older models, and unique constraints.
  mutating func addIndexes(
    to entity: EntityDescription, _ element: ModelElement
  ) throws(PersistenceError) {
    var indexes: [FetchIndexDescription] = []
    for child in element.children(named: "fetchIndex") {
      let index = try makeIndex(child)
      memberOffsets[entity.name ?? "", default: [:]][index.name] = child.offset
      indexes.append(index)
    }
    indexes += legacyIndexes(of: entity, element, besides: Set(indexes.map(\.name)))
    if !indexes.isEmpty { entity.indexes = indexes }
    var constraints: [[String]] = []
    for list in element.children(named: "uniquenessConstraints") {
      for constraint in list.children(named: "uniquenessConstraint") {
        var names: [String] = []
        for member in constraint.children(named: "constraint") {
          names.append(try required("value", member))
        }
        constraints.append(names)
      }
    }
    entity.uniquenessConstraints = constraints
  }

  private func makeIndex(_ element: ModelElement) throws(PersistenceError) -> FetchIndexDescription
  {
    var elements: [FetchIndexElementDescription] = []
    for child in element.children(named: "fetchIndexElement") {
      elements.append(try makeIndexElement(child))
    }
    let index = FetchIndexDescription(name: try requiredName(element), elements: elements)
    if let condition = element.value("partialIndexPredicate") {
      do {
        index.partialIndexPredicate = try parser.predicate(condition)
      } catch {
        throw self.error(
          "The condition “\(condition)” cannot be read.", element, underlying: error)
      }
    }
    return index
  }

  private func makeIndexElement(
    _ element: ModelElement
  ) throws(PersistenceError) -> FetchIndexElementDescription {
    let kind: FetchIndexElementType
    switch element.attributes["type"] {
    case "RTree": kind = .rTree
    case nil, "Binary": kind = .binary
    case let type?: throw error("“\(type)” is no kind of index.", element)
    }
    let isAscending = element.attributes["order"] != "descending"
    guard let text = element.value("expression") else {
      return FetchIndexElementDescription(
        propertyName: try required("property", element), collationType: kind,
        isAscending: isAscending)
    }
    let typeName = element.value("expressionType")
    let column = ExpressionDescription(
      name: text, expression: try expression(text, element),
      resultType: typeName.flatMap { XcodeModelValues.types[$0] } ?? .undefined)
    return FetchIndexElementDescription(
      property: column, collationType: kind, isAscending: isAscending)
  }

  /// Returns the indexes of models of older Xcode versions: `indexed` of a property, and `compoundIndexes`.
  /// Properties that cannot be indexed, such as a to-many relationship, are ignored.
  private func legacyIndexes(
    of entity: EntityDescription, _ element: ModelElement, besides taken: Set<String>
  ) -> [FetchIndexDescription] {
    var lists: [[String]] = []
    for child in element.children where child.isSet("indexed") {
      if let name = child.attributes["name"] { lists.append([name]) }
    }
    for compound in element.children(named: "compoundIndexes")
      .flatMap({ $0.children(named: "compoundIndex") })
    {
      lists.append(compound.children(named: "index").compactMap { $0.attributes["value"] })
    }
    var names = taken
    var result: [FetchIndexDescription] = []
    for list in lists where !list.isEmpty && list.allSatisfy({ canBeIndexed($0, of: entity) }) {
      let name = "by_" + list.joined(separator: "_")
      guard names.insert(name).inserted else { continue }
      result.append(
        FetchIndexDescription(
          name: name, elements: list.map { FetchIndexElementDescription(propertyName: $0) }))
    }
    return result
  }

  private func canBeIndexed(_ name: String, of entity: EntityDescription) -> Bool {
    switch properties[entity][name] {
    case let attribute as AttributeDescription:
      attribute.isStored && !(attribute is CompositeAttributeDescription)
    case let relationship as RelationshipDescription:
      !relationship.isToMany && !relationship.isTransient
    default: false
    }
  }

  func addTemplates() throws(PersistenceError) {
    var templates: [String: any ModelFetchRequest] = [:]
    for element in root.children(named: "fetchRequest") {
      let name = try required("name", element)
      let request = try makeRequest(element)
      guard templates.updateValue(request, forKey: name) == nil else {
        throw error("There are two templates “\(name)”.", element)
      }
    }
    model.templates = templates
  }

  func addConfigurations() throws(PersistenceError) {
    var configurations: [String: [EntityDescription]] = [:]
    for element in root.children(named: "configuration") {
      var members: [EntityDescription] = []
      for member in element.children(named: "memberEntity") {
        members.append(try entity(named: try required("name", member), member))
      }
      let name = try required("name", element)
      guard configurations.updateValue(members, forKey: name) == nil else {
        throw error("There are two configurations “\(name)”.", element)
      }
    }
    model.entitiesByConfiguration = configurations
  }
}
