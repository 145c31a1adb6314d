// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Makes a model of the XML in which Xcode keeps one version: the file `contents` of an `.xcdatamodel`.
///
/// Entities are made first, then their properties, then what refers to both.
struct XcodeModelReader {
  private let root: ModelElement
  private let model = ManagedObjectModel()
  private var entities: [String: EntityDescription] = [:]

  /// Reads a model.
  ///
  /// - Throws: `invalidModel` when the data are no XML, or name an entity or type that does not exist.
  static func model(from data: Data) throws -> ManagedObjectModel {
    var reader = XcodeModelReader(root: try ModelElement.parse(data))
    return try reader.read()
  }

  private init(root: ModelElement) {
    self.root = root
  }

  private mutating func read() throws -> ManagedObjectModel {
    let elements = root.children(named: "entity")
    for element in elements {
      let entity = makeEntity(element)
      entities[element.attributes["name"] ?? ""] = entity
      model.entities.append(entity)
    }
    for element in elements {
      try addProperties(to: try entity(named: element.attributes["name"]), element)
    }
    for element in elements { try connect(try entity(named: element.attributes["name"]), element) }
    for element in elements {
      addIndexes(to: try entity(named: element.attributes["name"]), element)
    }
    for element in root.children(named: "configuration") {
      let members = try element.children(named: "memberEntity").map {
        try entity(named: $0.attributes["name"])
      }
      try model.setEntities(members, forConfigurationName: element.attributes["name"] ?? "")
    }
    if let identifier = root.attributes["userDefinedModelVersionIdentifier"], !identifier.isEmpty {
      model.versionIdentifiers = [identifier]
    }
    return model
  }

  private func entity(named name: String?) throws -> EntityDescription {
    guard let name, let entity = entities[name] else {
      throw PersistenceError(.invalidModel, "The model has no entity “\(name ?? "")”.")
    }
    return entity
  }
}

// MARK: - Entities

extension XcodeModelReader {
  private func makeEntity(_ element: ModelElement) -> EntityDescription {
    let entity = EntityDescription(name: element.attributes["name"])
    if let name = element.attributes["representedClassName"], !name.isEmpty {
      entity.managedObjectClassName = name
    }
    entity.isAbstract = element.isSet("isAbstract")
    entity.versionHashModifier = element.attributes["versionHashModifier"]
    entity.renamingIdentifier = element.attributes["elementID"]
    entity.userInfo = userInfo(element)
    return entity
  }

  private func addProperties(to entity: EntityDescription, _ element: ModelElement) throws {
    var properties: [PropertyDescription] = []
    for child in element.children {
      switch child.name {
      case "attribute": properties.append(try makeAttribute(child, depth: 0))
      case "relationship": properties.append(try makeRelationship(child))
      case "fetchedProperty":
        let property = FetchedPropertyDescription(name: child.attributes["name"] ?? "")
        setCommon(property, child)
        properties.append(property)
      default: break
      }
    }
    entity.properties = properties
  }

  private func connect(_ entity: EntityDescription, _ element: ModelElement) throws {
    if let parent = element.attributes["parentEntity"] {
      try self.entity(named: parent).subentities.append(entity)
    }
    for child in element.children(named: "relationship") {
      guard let name = child.attributes["inverseName"] else { continue }
      let owner = try self.entity(named: child.attributes["inverseEntity"])
      let relationship = entity.relationshipsByName[child.attributes["name"] ?? ""]
      relationship?.inverseRelationship = owner.relationshipsByName[name]
    }
  }

  private func addIndexes(to entity: EntityDescription, _ element: ModelElement) {
    entity.indexes = element.children(named: "fetchIndex").map { index in
      FetchIndexDescription(
        name: index.attributes["name"] ?? "",
        elements: index.children(named: "fetchIndexElement").map { element in
          FetchIndexElementDescription(
            propertyName: element.attributes["property"] ?? "",
            collationType: element.attributes["type"] == "RTree" ? .rTree : .binary,
            isAscending: element.attributes["order"] != "descending")
        })
    }
    entity.uniquenessConstraints = element.children(named: "uniquenessConstraints")
      .flatMap { $0.children(named: "uniquenessConstraint") }
      .map { $0.children(named: "constraint").compactMap { $0.attributes["value"] } }
  }
}

// MARK: - Properties

extension XcodeModelReader {
  private func setCommon(_ property: PropertyDescription, _ element: ModelElement) {
    property.isOptional = element.isSet("optional")
    property.isTransient = element.isSet("transient")
    property.versionHashModifier = element.attributes["versionHashModifier"]
    property.renamingIdentifier =
      element.attributes["elementID"] ?? element.attributes["renamingIdentifier"]
    property.isIndexedBySpotlight = element.isSet("spotlightIndexingEnabled")
    property.userInfo = userInfo(element)
  }

  private func makeAttribute(_ element: ModelElement, depth: Int) throws -> AttributeDescription {
    let name = element.attributes["name"] ?? ""
    let type = try XcodeModelValues.type(named: element.attributes["attributeType"])
    let attribute: AttributeDescription
    if element.isSet("derived") {
      let derived = DerivedAttributeDescription(name: name, type: type)
      derived.derivationExpression = UnparsedExpression(
        element.attributes["derivationExpression"] ?? "")
      attribute = derived
    } else if type == .composite, let composite = element.attributes["composite"] {
      let definition = root.children(named: "composite")
        .first { $0.attributes["name"] == composite }
      guard let definition, depth < 16 else {
        throw PersistenceError(.invalidModel, "The composite “\(composite)” cannot be made.")
      }
      attribute = CompositeAttributeDescription(
        name: name,
        elements: try definition.children(named: "attribute").map {
          try makeAttribute($0, depth: depth + 1)
        })
    } else {
      attribute = AttributeDescription(name: name, type: type)
    }
    setCommon(attribute, element)
    XcodeModelValues.setRules(of: attribute, element)
    return attribute
  }

  private func makeRelationship(_ element: ModelElement) throws -> RelationshipDescription {
    let relationship = RelationshipDescription(
      name: element.attributes["name"] ?? "",
      destination: try entity(named: element.attributes["destinationEntity"]))
    setCommon(relationship, element)
    relationship.minCount = Int(element.attributes["minCount"] ?? "") ?? 0
    let maxCount = Int(element.attributes["maxCount"] ?? "")
    relationship.maxCount = maxCount ?? (element.isSet("toMany") ? 0 : 1)
    relationship.isOrdered = element.isSet("ordered")
    switch element.attributes["deletionRule"] {
    case "Cascade": relationship.deleteRule = .cascade
    case "Deny": relationship.deleteRule = .deny
    case "No Action": relationship.deleteRule = .noAction
    default: relationship.deleteRule = .nullify
    }
    return relationship
  }

  private func userInfo(_ element: ModelElement) -> [String: any Sendable] {
    var result: [String: any Sendable] = [:]
    for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
      if let key = entry.attributes["key"] { result[key] = entry.attributes["value"] ?? "" }
    }
    return result
  }
}
