// SPDX-License-Identifier: Apache-2.0

extension CanonicalModelReader {
  private static let types: [String: AttributeType] = Dictionary(
    uniqueKeysWithValues: [
      .undefined, .integer16, .integer32, .integer64, .decimal, .double, .float, .string,
      .boolean, .date, .binaryData, .uuid, .uri, .transformable, .composite,
    ].map { (type: AttributeType) in (type.description, type) })

  private func type(_ fields: TextFields) throws(TextFault) -> AttributeType {
    try type(named: try fields.text("type"))
  }

  private func type(named name: String) throws(TextFault) -> AttributeType {
    guard let type = Self.types[name] else {
      throw TextFault("there is no type “\(name.prefix(200))”")
    }
    return type
  }

  private func setCommon(
    _ property: PropertyDescription, _ fields: TextFields
  ) throws(TextFault) {
    property.isOptional = try fields.flag("optional")
    property.isTransient = try fields.flag("transient")
    property.renamingIdentifier = try fields.text(ifPresent: "renamingIdentifier")
    property.versionHashModifier = try fields.text(ifPresent: "modifier")
  }

  /// - Parameter path: How many bytes the names of the composites have that the attribute is an element of.
  mutating func makeAttribute(
    _ fields: TextFields, depth: Int, path: Int
  ) throws(TextFault) -> AttributeDescription {
    let name = try name(fields)
    let type = try type(fields)
    let length = path + name.utf8.count + 1
    try expand(by: length)
    let attribute: AttributeDescription
    if let derivation = try fields.text(ifPresent: "derivation") {
      let derived = DerivedAttributeDescription(name: name, type: type)
      derived.derivationExpression = try parse(derivation, parser.derivation)
      attribute = derived
    } else if type == .composite {
      attribute = try makeComposite(name, fields, depth: depth, path: length)
    } else {
      attribute = AttributeDescription(name: name, type: type)
    }
    try setCommon(attribute, fields)
    if let node = fields["default"] { attribute.defaultConstant = try ValueText.value(of: node) }
    attribute.valueTransformerName = try fields.text(ifPresent: "transformer")
    attribute.allowsExternalBinaryDataStorage = try fields.flag("external")
    attribute.preservesValueInHistoryOnDeletion = try fields.flag("inHistory")
    attribute.isSearchable = try fields.flag("searchable")
    if let name = try fields.text(ifPresent: "elementType") {
      attribute.elementType = try self.type(named: name)
    }
    attribute.allowsRounding = try !fields.flag("unrounded")
    return attribute
  }

  private mutating func makeComposite(
    _ name: String, _ fields: TextFields, depth: Int, path: Int
  ) throws(TextFault) -> CompositeAttributeDescription {
    guard depth < CompositeAttributeDescription.largestDepth else {
      throw TextFault("composites are nested too deep")
    }
    var elements: [PropertyDescription] = []
    for node in try fields.list("elements") {
      let fields = try TextFields(node, "element")
      elements.append(try makeAttribute(fields, depth: depth + 1, path: path))
    }
    // One without elements has no size, so that a model could have any number of them in each entity.
    guard !elements.isEmpty else { throw TextFault("a composite has no elements") }
    return CompositeAttributeDescription(name: name, elements: elements)
  }

  private func parse<Parsed>(
    _ text: String, _ parse: (String) throws -> Parsed
  ) throws(TextFault) -> Parsed {
    do { return try parse(text) } catch {
      throw TextFault("“\(text.prefix(200))” cannot be read")
    }
  }

  mutating func makeRelationship(
    _ fields: TextFields
  ) throws(TextFault) -> RelationshipDescription {
    let destination = try entity(named: try fields.text("destination"))
    let inverse = try fields.text(ifPresent: "inverse") ?? ""
    let relationship = RelationshipDescription(
      name: try name(fields), destination: destination, maxCount: try fields.number("maximum"))
    try expand(by: (destination.name ?? "").utf8.count + inverse.utf8.count)
    try setCommon(relationship, fields)
    relationship.minCount = try fields.number("minimum")
    relationship.isOrdered = try fields.flag("ordered")
    relationship.mayCrossStores = try fields.flag("across")
    if let rule = try fields.text(ifPresent: "deletion") {
      guard let known = DeleteRule.allCases.first(where: { "\($0)" == rule }) else {
        throw TextFault("there is no delete rule “\(rule.prefix(200))”")
      }
      relationship.deleteRule = known
    }
    return relationship
  }

  func addIndexes(to entity: EntityDescription, _ fields: TextFields) throws(TextFault) {
    var indexes: [FetchIndexDescription] = []
    for node in try fields.list("indexes") {
      let fields = try TextFields(node, "index")
      var elements: [FetchIndexElementDescription] = []
      for node in try fields.list("elements") {
        elements.append(try makeIndexElement(try TextFields(node, "index")))
      }
      let index = FetchIndexDescription(name: try name(fields), elements: elements)
      if let condition = try fields.text(ifPresent: "where") {
        index.partialIndexPredicate = try parse(condition, parser.predicate)
      }
      indexes.append(index)
    }
    if !indexes.isEmpty { entity.indexes = indexes }
  }

  private func makeIndexElement(
    _ fields: TextFields
  ) throws(TextFault) -> FetchIndexElementDescription {
    let kind = try fields.flag("rTree") ? FetchIndexElementType.rTree : .binary
    let isAscending = try !fields.flag("descending")
    guard let text = try fields.text(ifPresent: "expression") else {
      return FetchIndexElementDescription(
        propertyName: try fields.text("property"), collationType: kind, isAscending: isAscending)
    }
    let column = ExpressionDescription(
      name: text, expression: try parse(text, parser.expression),
      resultType: fields["type"] == nil ? .undefined : try type(fields))
    return FetchIndexElementDescription(
      property: column, collationType: kind, isAscending: isAscending)
  }
}
