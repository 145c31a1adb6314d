// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the XML of a mapping model in Xcode's editor: the objects of an XML store, with their attributes and
/// relationships.
struct XcodeMappingReader {
  private let text: ModelText
  private let objects: [String: ModelElement]
  private let order: [ModelElement]

  /// - Throws: `invalidModel` when the text is not XML, or not a mapping model.
  init(_ text: ModelText) throws(PersistenceError) {
    self.text = text
    let root = try ModelElement.parse(text)
    guard root.name == "database" else {
      throw text.error("The file is no mapping model: its root is <\(root.name)>.", at: root.offset)
    }
    var objects: [String: ModelElement] = [:]
    order = root.children(named: "object")
    for object in order {
      guard let identifier = object.value("id"), object.value("type") != nil else {
        throw text.error("An object has no type or no identifier.", at: object.offset)
      }
      guard objects.updateValue(object, forKey: identifier) == nil else {
        throw text.error("There are two objects “\(identifier)”.", at: object.offset)
      }
    }
    self.objects = objects
  }

  /// Returns the mappings in the order of their numbers.
  ///
  /// - Throws: `invalidModel` with the location.
  func read() throws(PersistenceError) -> [MappingFile.Entity] {
    guard order.contains(where: { $0.value("type") == "XDDEVMAPPINGMODEL" }) else {
      throw text.error("The file has no mapping model.", at: 0)
    }
    var found: [(number: Int, entity: MappingFile.Entity)] = []
    for object in order where object.value("type") == "XDDEVENTITYMAPPING" {
      let number = attribute("mappingnumber", of: object).flatMap { Int($0) } ?? found.count
      found.append((number, try entity(object)))
    }
    return found.sorted { $0.number < $1.number }.map(\.entity)
  }

  private func entity(_ object: ModelElement) throws(PersistenceError) -> MappingFile.Entity {
    var entity = MappingFile.Entity()
    entity.source = attribute("sourcename", of: object)
    entity.destination = attribute("destinationname", of: object)
    entity.policy = attribute("migrationpolicyclassname", of: object)
    entity.type = try type(object, entity)
    entity.name = attribute("name", of: object) ?? Self.name(entity)
    entity.sourceExpression = try expression("sourceexpressiondata", of: object)
    let isAutomatic = attribute("autogenerateexpression", of: object) == "1"
    entity.attributes = try properties("attributemappings", of: object, isAutomatic)
    entity.relationships = try properties("relationshipmappings", of: object, isAutomatic)
    return entity
  }

  /// Returns the name that the compiler generates: `PersonToPerson`, or a single name where the other entity is
  /// missing.
  private static func name(_ entity: MappingFile.Entity) -> String {
    guard let source = entity.source, let destination = entity.destination else {
      return entity.destination ?? entity.source ?? ""
    }
    return "\(source)To\(destination)"
  }

  private static let types: [String: UInt] = [
    "Undefined": 0, "Custom": 1, "Add": 2, "Remove": 3, "Copy": 4, "Transform": 5,
  ]

  private func type(
    _ object: ModelElement, _ entity: MappingFile.Entity
  ) throws(PersistenceError) -> UInt {
    let name = attribute("mappingtypename", of: object) ?? "Undefined"
    guard let type = Self.types[name] else {
      throw text.error("“\(name)” is no type of a mapping.", at: object.offset)
    }
    if type != 0 { return type }
    guard entity.source != nil || entity.destination != nil else {
      throw text.error("A mapping names no entity.", at: object.offset)
    }
    if entity.policy != nil { return 1 }
    return entity.source == nil ? 2 : entity.destination == nil ? 3 : 5
  }

  private func properties(
    _ name: String, of object: ModelElement, _ isAutomatic: Bool
  ) throws(PersistenceError) -> [MappingFile.Property] {
    var result: [MappingFile.Property] = []
    for relationship in object.children(named: "relationship")
    where relationship.value("name") == name {
      for identifier in (relationship.value("idrefs") ?? "").split(separator: " ") {
        guard let part = objects[String(identifier)] else {
          throw text.error("There is no object “\(identifier)”.", at: relationship.offset)
        }
        guard let property = attribute("name", of: part) else {
          throw text.error("A mapping of a property has no name.", at: part.offset)
        }
        let expression = try expression("valueexpressiondata", of: part)
        result.append(
          MappingFile.Property(
            name: property, expression: expression,
            isAutomatic: expression == nil
              && (isAutomatic || attribute("autogenerateexpression", of: part) == "1")))
      }
    }
    return result.sorted { UTF8Order.isLess($0.name, $1.name) }
  }

  private func expression(
    _ name: String, of object: ModelElement
  ) throws(PersistenceError) -> String? {
    guard let encoded = attribute(name, of: object) else { return nil }
    guard let data = Data(base64Encoded: encoded, options: .ignoreUnknownCharacters) else {
      throw text.error("The expression is no base 64.", at: object.offset)
    }
    let archive = try KeyedArchive(Array(data), name: text.name)
    guard let root = archive.root else { return nil }
    return try ArchivedConditions(archive: archive).expression(root)
  }

  private func attribute(_ name: String, of object: ModelElement) -> String? {
    object.children(named: "attribute").first { $0.value("name") == name }
      .flatMap { $0.text.isEmpty ? nil : $0.text }
  }
}
