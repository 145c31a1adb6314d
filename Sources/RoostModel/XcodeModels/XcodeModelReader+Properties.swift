// SPDX-License-Identifier: Apache-2.0

extension XcodeModelReader {
  mutating func addProperties(
    to entity: EntityDescription, _ element: ModelElement
  ) throws(PersistenceError) {
    var properties: [PropertyDescription] = []
    var places: [String: Int] = [:]
    for child in element.children {
      let property: PropertyDescription
      switch child.name {
      case "attribute": property = try makeAttribute(child, depth: 0)
      case "relationship": property = try makeRelationship(child)
      case "fetchedProperty": property = try makeFetchedProperty(child)
      default: continue
      }
      guard places.updateValue(child.offset, forKey: property.name) == nil else {
        throw error(
          "There are two properties “\(property.name)”.", child, entityName: entity.name,
          key: property.name)
      }
      properties.append(property)
    }
    memberOffsets[entity.name ?? ""] = places
    entity.properties = properties
  }

  private func setCommon(
    _ property: PropertyDescription, _ element: ModelElement
  ) {
    property.isOptional = element.isSet("optional")
    property.isTransient = element.isSet("transient")
    property.versionHashModifier = element.value("versionHashModifier")
    property.renamingIdentifier =
      element.value("elementID") ?? element.value("renamingIdentifier")
    property.isIndexedBySpotlight = element.isSet("spotlightIndexingEnabled")
    property.userInfo = userInfo(element)
  }

  private mutating func makeAttribute(
    _ element: ModelElement, depth: Int
  ) throws(PersistenceError) -> AttributeDescription {
    let name = try requiredName(element)
    let values = XcodeModelValues(text: text, element: element, model: model)
    let type = try values.type()
    let attribute: AttributeDescription
    if element.isSet("derived") {
      let derived = DerivedAttributeDescription(name: name, type: type)
      derived.derivationExpression = try expression(
        try required("derivationExpression", element), element, parse: { $0.derivation })
      attribute = derived
    } else if type == .composite {
      attribute = try makeComposite(name, element, depth: depth)
    } else {
      attribute = AttributeDescription(name: name, type: type)
    }
    setCommon(attribute, element)
    try values.setRules(of: attribute)
    return attribute
  }

  private mutating func makeComposite(
    _ name: String, _ element: ModelElement, depth: Int
  ) throws(PersistenceError) -> CompositeAttributeDescription {
    let composite = try required("composite", element)
    guard let definition = composites[composite] else {
      throw error("The model has no composite “\(composite)”.", element, key: name)
    }
    guard depth < CompositeAttributeDescription.largestDepth else {
      throw error("Composites are nested too deep, or in each other.", element, key: name)
    }
    var elements: [PropertyDescription] = []
    for child in definition {
      elementCount += child.weight
      guard elementCount <= Self.largestElementCount else {
        throw error(
          "The composites have more than \(Self.largestElementCount) elements.", element, key: name)
      }
      elements.append(try makeAttribute(child, depth: depth + 1))
    }
    return CompositeAttributeDescription(name: name, elements: elements)
  }

  private func makeRelationship(
    _ element: ModelElement
  ) throws(PersistenceError) -> RelationshipDescription {
    let relationship = RelationshipDescription(
      name: try requiredName(element),
      destination: try entity(named: try required("destinationEntity", element), element))
    setCommon(relationship, element)
    relationship.minCount = try number("minCount", element) ?? 0
    relationship.maxCount = try number("maxCount", element) ?? (element.isSet("toMany") ? 0 : 1)
    relationship.isOrdered = element.isSet("ordered")
    switch element.attributes["deletionRule"] {
    case "Cascade": relationship.deleteRule = .cascade
    case "Deny": relationship.deleteRule = .deny
    case "No Action": relationship.deleteRule = .noAction
    case nil, "Nullify": relationship.deleteRule = .nullify
    case let rule?: throw error("“\(rule)” is no delete rule.", element)
    }
    return relationship
  }

  private func makeFetchedProperty(
    _ element: ModelElement
  ) throws(PersistenceError) -> FetchedPropertyDescription {
    let property = FetchedPropertyDescription(name: try requiredName(element))
    setCommon(property, element)
    guard let request = element.children(named: "fetchRequest").first else {
      throw error("The fetched property has no request.", element, key: property.name)
    }
    property.fetchRequest = try makeRequest(request)
    return property
  }

  /// Reads a template, or the request of a fetched property.
  func makeRequest(_ element: ModelElement) throws(PersistenceError) -> any ModelFetchRequest {
    var request = ModelRequestText(
      entity: try entity(named: try required("entity", element), element))
    request.predicate = element.value("predicateString")
    request.fetchLimit = try number("fetchLimit", element) ?? 0
    request.fetchBatchSize = try number("fetchBatchSize", element) ?? 0
    request.resultType = try number("resultType", element) ?? 0
    request.includesSubentities = element.attributes["includeSubentities"] != "NO"
    request.includesPropertyValues = element.attributes["includePropertyValues"] != "NO"
    request.includesPendingChanges = element.attributes["includesPendingChanges"] != "NO"
    request.returnsObjectsAsFaults = element.attributes["returnObjectsAsFaults"] != "NO"
    request.returnsDistinctResults = element.isSet("returnDistinctResults")
    do {
      return try parser.request(request)
    } catch {
      let condition = request.predicate.map { " “\($0)”" } ?? ""
      throw self.error(
        "The request cannot be read\(condition).", element, underlying: error)
    }
  }

  func addInverses(
    to entity: EntityDescription, _ element: ModelElement
  ) throws(PersistenceError) {
    for child in element.children(named: "relationship") {
      guard let name = child.value("inverseName") else { continue }
      let ownerName = child.value("inverseEntity") ?? child.attributes["destinationEntity"] ?? ""
      let owner = try self.entity(named: ownerName, child)
      let own = properties[entity][child.attributes["name"] ?? ""]
      guard let inverse = properties[owner][name] as? RelationshipDescription,
        let relationship = own as? RelationshipDescription
      else {
        throw error(
          "The inverse “\(owner.name ?? "").\(name)” does not exist.", child,
          entityName: entity.name, key: child.attributes["name"])
      }
      relationship.inverseRelationship = inverse
    }
  }
}
