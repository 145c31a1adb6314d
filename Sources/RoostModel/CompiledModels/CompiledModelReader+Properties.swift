// SPDX-License-Identifier: Apache-2.0

extension CompiledModelReader {
  func addProperties(
    to entity: EntityDescription, of object: KeyedArchive.Object
  ) throws(PersistenceError) {
    var properties: [PropertyDescription] = []
    let entries = try archive.entries("NSProperties", of: object)
    let inherited = try namesOfProperties(above: object)
    for (name, value) in entries.sorted(by: { UTF8Order.isLess($0.key, $1.key) }) {
      guard case .object(let property) = value else {
        throw archive.fault(object, "has a property “\(name)” that is none")
      }
      // A subentity may also list inherited properties: the property itself, or a copy in a model made by a program.
      if inherited.contains(name) { continue }
      if let owner = try archive.child("NSEntity", of: property), owner.number != object.number {
        continue
      }
      properties.append(try makeProperty(name, property, depth: 0))
    }
    entity.properties = properties
  }

  /// Returns the names of the properties of an entity's superentities.
  private func namesOfProperties(
    above object: KeyedArchive.Object
  ) throws(PersistenceError) -> Set<String> {
    var names: Set<String> = []
    var seen: Set<Int> = [object.number]
    var next = try archive.child("NSSuperentity", of: object)
    // Cycles are reported when the hierarchy is made.
    while let parent = next, seen.insert(parent.number).inserted {
      for entry in try archive.entries("NSProperties", of: parent) { names.insert(entry.key) }
      next = try archive.child("NSSuperentity", of: parent)
    }
    return names
  }

  private func makeProperty(
    _ name: String, _ object: KeyedArchive.Object, depth: Int
  ) throws(PersistenceError) -> PropertyDescription {
    guard try archive.text("NSPropertyName", of: object) == name else {
      throw archive.fault(object, "is not called “\(name)”")
    }
    let property: PropertyDescription
    switch object.className {
    case "NSAttributeDescription", "NSDerivedAttributeDescription",
      "NSCompositeAttributeDescription":
      property = try makeAttribute(name, object, depth: depth)
    case "NSRelationshipDescription": property = try makeRelationship(name, object)
    case "NSFetchedPropertyDescription":
      let fetched = FetchedPropertyDescription(name: name)
      guard let request = try archive.child("NSFetchRequest", of: object) else {
        throw archive.fault(object, "has no request")
      }
      fetched.fetchRequest = try makeRequest(request)
      property = fetched
    default: throw archive.fault(object, "is no property that a model can have")
    }
    property.isOptional = try archive.isSet("NSIsOptional", of: object)
    property.isTransient =
      try archive.isSet("NSIsTransient", of: object) && !(property is FetchedPropertyDescription)
    property.versionHashModifier = try archive.text("NSVersionHashModifier", of: object)
    let identifier = try archive.text("NSRenamingIdentifier", of: object)
    property.renamingIdentifier = identifier == name ? nil : identifier
    property.userInfo = try userInfo(of: object)
    return property
  }

  private func makeRelationship(
    _ name: String, _ object: KeyedArchive.Object
  ) throws(PersistenceError) -> RelationshipDescription {
    guard let destination = try archive.child("NSDestinationEntity", of: object) else {
      throw archive.fault(object, "has no destination")
    }
    let relationship = RelationshipDescription(name: name, destination: try entity(destination))
    relationship.minCount = try archive.number("NSMinCount", of: object) ?? 0
    // An archive has 32 bits for it, so that a program's largest number is negative there.
    let maxCount = try archive.number("NSMaxCount", of: object) ?? 0
    relationship.maxCount = maxCount < 0 ? .max : maxCount
    relationship.isOrdered = try archive.isSet("NSIsOrdered", of: object)
    switch try archive.number("NSDeleteRule", of: object) ?? 1 {
    case 0: relationship.deleteRule = .noAction
    case 1: relationship.deleteRule = .nullify
    case 2: relationship.deleteRule = .cascade
    case 3: relationship.deleteRule = .deny
    default: throw archive.fault(object, "has an unknown delete rule")
    }
    return relationship
  }

  private func makeAttribute(
    _ name: String, _ object: KeyedArchive.Object, depth: Int
  ) throws(PersistenceError) -> AttributeDescription {
    let type = AttributeType(rawValue: try archive.number("NSAttributeType", of: object) ?? 0)
    let attribute: AttributeDescription
    switch object.className {
    case "NSDerivedAttributeDescription":
      let derived = DerivedAttributeDescription(name: name, type: type)
      guard let expression = try archive.child("NSDerivationExpression", of: object) else {
        throw archive.fault(object, "has no expression")
      }
      derived.derivationExpression = try parse(try conditions.expression(expression), object) {
        try parser.derivation($0)
      }
      attribute = derived
    case "NSCompositeAttributeDescription":
      attribute = try makeComposite(name, object, depth: depth)
    default: attribute = AttributeDescription(name: name, type: type)
    }
    let flags = try archive.number("NSFlagsKey", of: object) ?? 0
    attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
    attribute.preservesValueInHistoryOnDeletion = flags & 0x10 != 0
    attribute.valueTransformerName = try archive.text("NSValueTransformerName", of: object)
    if type == .transformable {
      attribute.attributeValueClassName = try archive.text("NSAttributeValueClassName", of: object)
    }
    try setRules(of: attribute, object)
    return attribute
  }

  private func makeComposite(
    _ name: String, _ object: KeyedArchive.Object, depth: Int
  ) throws(PersistenceError) -> CompositeAttributeDescription {
    guard depth < CompositeAttributeDescription.largestDepth else {
      throw archive.fault(object, "is a composite that is nested too deep")
    }
    var elements: [PropertyDescription] = []
    for member in try archive.members("NSCompositeElements", of: object) {
      guard case .object(let element) = member,
        let elementName = try archive.text("NSPropertyName", of: element)
      else { throw archive.fault(object, "has an element that is none") }
      elements.append(try makeProperty(elementName, element, depth: depth + 1))
    }
    return CompositeAttributeDescription(name: name, elements: elements)
  }

  func addInverses(
    to entity: EntityDescription, of object: KeyedArchive.Object
  ) throws(PersistenceError) {
    let own = Dictionary(
      entity.declaredProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (name, value) in try archive.entries("NSProperties", of: object) {
      guard case .object(let property) = value,
        let relationship = own[name] as? RelationshipDescription,
        let inverse = try archive.child("NSInverseRelationship", of: property)
      else { continue }
      guard let inverseName = try archive.text("NSPropertyName", of: inverse),
        let owner = try archive.child("NSEntity", of: inverse),
        let found = try self.entity(owner).relationshipsByName[inverseName]
      else { throw archive.fault(property, "has an inverse that does not exist") }
      relationship.inverseRelationship = found
    }
  }

  /// Parses a text, and names the object that it came from when it cannot be parsed.
  func parse<Parsed>(
    _ text: String, _ object: KeyedArchive.Object, _ parse: (String) throws -> Parsed
  ) throws(PersistenceError) -> Parsed {
    do {
      return try parse(text)
    } catch {
      let fault = archive.fault(object, "has a condition that cannot be read, “\(text)”")
      throw PersistenceError(.invalidModel, fault.message, underlying: error)
    }
  }
}
