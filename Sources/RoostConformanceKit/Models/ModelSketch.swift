// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A model that is written down in a few lines: entities by name, relationships by both of their ends.
package struct ModelSketch {
  private var entities: [String: EntityDescription] = [:]
  private var order: [String] = []

  /// A sketch without entities.
  package init() {}

  /// Adds an entity; its superentity must have been added before.
  @discardableResult package mutating func add(
    _ name: String, _ attributes: [AttributeDescription], parent: String? = nil,
    isAbstract: Bool = false, unique: [[String]] = [], class objectClass: AnyClass? = nil
  ) -> EntityDescription {
    let entity = EntityDescription(name: name)
    entity.declaredProperties = attributes
    entity.isAbstract = isAbstract
    entity.uniquenessConstraints = unique
    entity.managedObjectClass = objectClass
    if let parent { self[parent].subentities.append(entity) }
    entities[name] = entity
    order.append(name)
    return entity
  }

  /// The entity with a name.
  package subscript(name: String) -> EntityDescription {
    guard let entity = entities[name] else {
      preconditionFailure("The sketch has no entity \(name).")
    }
    return entity
  }

  /// One end of a relationship: where it begins, its name, and how it leads to the other end.
  package struct End {
    package var entity: String
    package var name: String
    package var count: Count
    package var rule: DeleteRule
    package var isOptional = true
    package var minimum = 0
    package var maximum: Int?

    package enum Count { case one, many, ordered }

    package init(
      _ entity: String, _ name: String, _ count: Count, rule: DeleteRule = .nullify,
      isOptional: Bool = true, minimum: Int = 0, maximum: Int? = nil
    ) {
      self.entity = entity
      self.name = name
      self.count = count
      self.rule = rule
      self.isOptional = isOptional
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  /// Adds a relationship and its inverse.
  package mutating func relate(_ left: End, _ right: End) {
    let there = make(left, to: right.entity)
    let back = make(right, to: left.entity)
    there.inverseRelationship = back
    back.inverseRelationship = there
  }

  /// Adds a relationship without an inverse.
  package mutating func relate(_ end: End, to destination: String) {
    _ = make(end, to: destination)
  }

  /// Adds a relationship that is its own inverse.
  package mutating func relateToItself(_ end: End) {
    let relationship = make(end, to: end.entity)
    relationship.inverseRelationship = relationship
  }

  private func make(_ end: End, to destination: String) -> RelationshipDescription {
    let relationship = RelationshipDescription(
      name: end.name, destination: self[destination],
      maxCount: end.count == .one ? 1 : end.maximum ?? 0)
    relationship.minCount = end.minimum
    relationship.isOrdered = end.count == .ordered
    relationship.deleteRule = end.rule
    relationship.isOptional = end.isOptional
    self[end.entity].declaredProperties.append(relationship)
    return relationship
  }

  /// The model.
  package func make() -> ManagedObjectModel {
    ManagedObjectModel(entities: order.map { self[$0] })
  }
}

extension AttributeDescription {
  /// An attribute in one line.
  package static func of(
    _ name: String, _ type: AttributeType, optional: Bool = true, default value: Value = .null
  ) -> AttributeDescription {
    let attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = optional
    attribute.defaultConstant = value
    return attribute
  }

  package static func string(_ name: String, optional: Bool = true) -> AttributeDescription {
    of(name, .string, optional: optional)
  }

  package static func integer(_ name: String) -> AttributeDescription {
    of(name, .integer64)
  }
}
