// SPDX-License-Identifier: Apache-2.0

extension CompiledModelReader {
  /// Reads indexes, including those of older models, and unique constraints.
  func addIndexes(
    to entity: EntityDescription, of object: KeyedArchive.Object
  ) throws(PersistenceError) {
    var indexes: [FetchIndexDescription] = []
    for member in try archive.members("NSFetchIndexDescriptions", of: object) {
      guard case .object(let index) = member else {
        throw archive.fault(object, "has an index that is none")
      }
      indexes.append(try makeIndex(index))
    }
    indexes += try attributesMarkedIndexed(of: entity, object, besides: indexes)
    if !indexes.isEmpty { entity.indexes = indexes }
    var constraints: [[String]] = []
    for member in try archive.members("NSUniqueTuples", of: object) {
      guard case .object(let tuple) = member else {
        throw archive.fault(object, "has a uniqueness constraint that is none")
      }
      var names: [String] = []
      for part in try archive.members(of: tuple) {
        switch part {
        case .string(let name): names.append(name)
        case .object(let property):
          guard let name = try archive.text("NSPropertyName", of: property) else {
            throw archive.fault(tuple, "names no property")
          }
          names.append(name)
        default: throw archive.fault(tuple, "names no property")
        }
      }
      constraints.append(names)
    }
    entity.uniquenessConstraints = constraints
  }

  private func makeIndex(
    _ object: KeyedArchive.Object
  ) throws(PersistenceError) -> FetchIndexDescription {
    var elements: [FetchIndexElementDescription] = []
    for member in try archive.members("NSIndexElements", of: object) {
      guard case .object(let element) = member else {
        throw archive.fault(object, "has an element that is none")
      }
      elements.append(try makeElement(element))
    }
    let index = FetchIndexDescription(
      name: try archive.text("NSIndexName", of: object) ?? "", elements: elements)
    if let condition = try archive.child("NSPartialIndexPredicate", of: object) {
      index.partialIndexPredicate = try parse(try conditions.predicate(condition), object) {
        try parser.predicate($0)
      }
    }
    return index
  }

  private func makeElement(
    _ object: KeyedArchive.Object
  ) throws(PersistenceError) -> FetchIndexElementDescription {
    let isAscending = try archive.isSet("NSAscending", of: object)
    let kind: FetchIndexElementType =
      try archive.number("NSFetchIndexElementType", of: object) == 1 ? .rTree : .binary
    if let column = try archive.child("NSProperty", of: object),
      column.className == "NSExpressionDescription",
      let expression = try archive.child("NSExpression", of: column)
    {
      let text = try conditions.expression(expression)
      let type = AttributeType(
        rawValue: try archive.number("NSExpressionResultType", of: column) ?? 0)
      let parsed = try parse(text, object) { try parser.expression($0) }
      return FetchIndexElementDescription(
        property: ExpressionDescription(name: text, expression: parsed, resultType: type),
        collationType: kind, isAscending: isAscending)
    }
    guard let name = try archive.text("NSPropertyName", of: object) else {
      throw archive.fault(object, "names no property")
    }
    return FetchIndexElementDescription(
      propertyName: name, collationType: kind, isAscending: isAscending)
  }

  /// Returns the indexes of models of older Xcode versions: of attributes that are marked as indexed, and in no other
  /// index.
  private func attributesMarkedIndexed(
    of entity: EntityDescription, _ object: KeyedArchive.Object,
    besides indexes: [FetchIndexDescription]
  ) throws(PersistenceError) -> [FetchIndexDescription] {
    var result: [FetchIndexDescription] = []
    for (name, value) in try archive.entries("NSProperties", of: object) {
      guard case .object(let property) = value, try archive.isSet("NSIsIndexed", of: property),
        let attribute = entity.attributesByName[name], attribute.isStored,
        attribute.type != .composite,
        !indexes.contains(where: { $0.elements.first?.propertyName == name })
      else { continue }
      result.append(
        FetchIndexDescription(
          name: "by_" + name, elements: [FetchIndexElementDescription(propertyName: name)]))
    }
    return result.sorted { UTF8Order.isLess($0.name, $1.name) }
  }

  /// Reads a template, or the request of a fetched property.
  func makeRequest(
    _ object: KeyedArchive.Object
  ) throws(PersistenceError) -> any ModelFetchRequest {
    guard let target = try archive.child("NSEntity", of: object) else {
      throw archive.fault(object, "names no entity")
    }
    var request = ModelRequestText(entity: try entity(target))
    if let condition = try archive.child("NSPredicate", of: object) {
      request.predicate = try conditions.predicate(condition)
    }
    request.fetchLimit = try archive.number("NSFetchLimit", of: object) ?? 0
    request.fetchBatchSize = try archive.number("NSBatchSize", of: object) ?? 0
    request.resultType = try archive.number("NSResultType", of: object) ?? 0
    if try archive.isSet("NSHasFetchRequestFlags", of: object) {
      // The bits are the request's five switches in the editor, as the compiler writes them.
      let flags = try archive.number("NSFetchRequestFlags", of: object) ?? 0
      request.returnsDistinctResults = flags & 1 != 0
      request.includesSubentities = flags & 2 != 0
      request.includesPropertyValues = flags & 4 != 0
      request.returnsObjectsAsFaults = flags & 8 != 0
      request.includesPendingChanges = flags & 16 != 0
    }
    return try parse(request.predicate ?? "", object) { _ in try parser.request(request) }
  }

  func addTemplates(of root: KeyedArchive.Object) throws(PersistenceError) {
    var templates: [String: any ModelFetchRequest] = [:]
    for (name, value) in try archive.entries("NSFetchRequestTemplates", of: root) {
      guard case .object(let request) = value else {
        throw archive.fault(root, "has a template “\(name)” that is none")
      }
      templates[name] = try makeRequest(request)
    }
    model.templates = templates
  }

  func addConfigurations(of root: KeyedArchive.Object) throws(PersistenceError) {
    var configurations: [String: [EntityDescription]] = [:]
    for (name, value) in try archive.entries("NSConfigurations", of: root) {
      guard case .object(let members) = value else { continue }
      var list: [EntityDescription] = []
      for member in try archive.members(of: members) {
        guard case .object(let object) = member else { continue }
        list.append(try entity(object))
      }
      configurations[name] = list.sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
    }
    model.entitiesByConfiguration = configurations
  }
}
