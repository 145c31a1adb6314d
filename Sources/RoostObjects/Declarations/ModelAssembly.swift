// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Creates the entities of a model from the declarations of classes.
struct ModelAssembly {
  /// The entities, in the order in which their classes were found.
  private(set) var entities: [EntityDescription] = []
  /// The entities of each configuration, in order.
  private(set) var configurations: [String: [EntityDescription]] = [:]

  private var declarations: [EntityDeclaration] = []
  private var entityByClass: [ObjectIdentifier: EntityDescription] = [:]

  /// Creates the entities.
  init(_ classes: [ManagedObject.Type]) throws {
    try findDeclarations(classes)
    for declaration in declarations { makeEntity(declaration) }
    for declaration in declarations { try makeRelationships(declaration) }
    try connectInverses()
    connectHierarchy()
    // Last: edits of the hierarchy drop the indexes of its entities (B12).
    for declaration in declarations { makeIndexes(declaration) }
  }

  // MARK: - Classes

  /// Collects the declarations of the classes, and of the classes to which these refer.
  private mutating func findDeclarations(_ classes: [ManagedObject.Type]) throws {
    var waiting = Array(classes.reversed())
    var known: Set<ObjectIdentifier> = []
    var classByName: [String: ManagedObject.Type] = [:]
    while let next = waiting.popLast() {
      guard known.insert(ObjectIdentifier(next)).inserted else { continue }
      // A subclass without `@Entity` inherits the declaration of its superclass, which is not its own.
      guard let declaration = next._entityDeclaration, declaration.objectClass == next else {
        throw PersistenceError(
          .invalidModel, "The class \(next) has no declaration; write “@Entity” before it.",
          entityName: String(describing: next))
      }
      if let other = classByName.updateValue(next, forKey: declaration.name) {
        throw PersistenceError(
          .invalidModel,
          "The classes \(other) and \(next) both declare the entity “\(declaration.name)”.",
          entityName: declaration.name)
      }
      declarations.append(declaration)
      for property in declaration.properties.reversed() {
        guard case .relationship(let relationship) = property.content else { continue }
        waiting.append(relationship.destination)
      }
      if let superclass = declaration.superclass { waiting.append(superclass) }
    }
  }

  private mutating func makeEntity(_ declaration: EntityDeclaration) {
    let entity = EntityDescription(name: declaration.name)
    entity.managedObjectClass = declaration.objectClass
    entity.isAbstract = declaration.isAbstract
    entity.renamingIdentifier = declaration.originalName
    entity.versionHashModifier = declaration.versionHashModifier
    entity.userInfo = declaration.userInfo
    let unique = declaration.attributes { $0.options.contains(.unique) }
    entity.uniquenessConstraints = unique.map { [$0] } + declaration.uniqueness
    entities.append(entity)
    entityByClass[ObjectIdentifier(declaration.objectClass)] = entity
    for name in declaration.configurations { configurations[name, default: []].append(entity) }
  }

  private func entity(of objectClass: ManagedObject.Type) -> EntityDescription? {
    entityByClass[ObjectIdentifier(objectClass)]
  }

  private func connectHierarchy() {
    for declaration in declarations {
      let subentities = declarations.compactMap { candidate in
        candidate.superclass.map(ObjectIdentifier.init) == ObjectIdentifier(declaration.objectClass)
          ? entity(of: candidate.objectClass) : nil
      }
      if !subentities.isEmpty { entity(of: declaration.objectClass)?.subentities = subentities }
    }
  }

  private func makeIndexes(_ declaration: EntityDeclaration) {
    let single = declaration.attributes { $0.options.contains(.indexed) }.map { [$0] }
    let indexes = (single + declaration.indexes).map { names in
      FetchIndexDescription(
        name: "by_" + names.joined(separator: "_"),
        elements: names.map { FetchIndexElementDescription(propertyName: $0) })
    }
    if !indexes.isEmpty { entity(of: declaration.objectClass)?.indexes = indexes }
  }

  // MARK: - Properties

  private func makeRelationships(_ declaration: EntityDeclaration) throws {
    entity(of: declaration.objectClass)?.declaredProperties = declaration.properties.map {
      property in
      switch property.content {
      case .attribute(let attribute):
        return attribute.description(named: property.name)
      case .relationship(let relationship):
        let description = relationship.description(named: property.name)
        description.destinationEntity = entity(of: relationship.destination)
        return description
      }
    }
  }

  /// Connects each relationship with the inverse that it names, and the inverse with it unless that one names
  /// another.
  private func connectInverses() throws {
    var named: [(relationship: RelationshipDescription, inverse: RelationshipDescription)] = []
    for declaration in declarations {
      for property in declaration.properties {
        guard case .relationship(let content) = property.content, let name = content.inverseName,
          let relationship = relationship(property.name, of: declaration.objectClass)
        else { continue }
        guard let inverse = self.relationship(name, of: content.destination) else {
          throw PersistenceError(
            .invalidModel,
            "The inverse of “\(property.name)” is “\(name)”, which is no relationship of "
              + "\(content.destination).",
            entityName: declaration.name, key: property.name)
        }
        named.append((relationship, inverse))
      }
    }
    for (relationship, inverse) in named { relationship.inverseRelationship = inverse }
    for (relationship, inverse) in named where inverse.inverseRelationship == nil {
      inverse.inverseRelationship = relationship
    }
  }

  /// Returns the relationship of a class with a name, its own or an inherited one.
  private func relationship(
    _ name: String, of objectClass: ManagedObject.Type
  ) -> RelationshipDescription? {
    var next: ManagedObject.Type? = objectClass
    while let current = next {
      let properties = entity(of: current)?.declaredProperties ?? []
      if let property = properties.first(where: { $0.name == name }) {
        return property as? RelationshipDescription
      }
      next = current._entityDeclaration?.superclass
    }
    return nil
  }
}

extension EntityDeclaration {
  /// Returns the names of the attributes that satisfy a condition, in order; those of elements have dots.
  fileprivate func attributes(where condition: (AttributeDeclaration) -> Bool) -> [String] {
    properties.flatMap { property -> [String] in
      guard case .attribute(let attribute) = property.content else { return [] }
      let elements = attribute.composite?.elements(of: property.name, where: condition) ?? []
      return (condition(attribute) ? [property.name] : []) + elements
    }
  }
}
