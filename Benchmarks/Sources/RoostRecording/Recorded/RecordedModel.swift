// SPDX-License-Identifier: Apache-2.0

import Roost

/// The model of a recording: the parts that a store needs, so that a recording can be replayed without the program.
///
/// Elements of composites become attributes, and transformable attributes become binary data: a store makes no
/// difference between them.
struct RecordedModel: Codable {
  var entities: [Entity] = []

  struct Entity: Codable {
    var name: String
    var superentity: String?
    var isAbstract: Bool
    var attributes: [Attribute]
    var relationships: [Relationship]
    var uniquenessConstraints: [[String]]
    var indexes: [Index]
  }

  struct Attribute: Codable {
    var name: String
    var type: Int
    var isOptional: Bool
  }

  struct Relationship: Codable {
    var name: String
    var destination: String
    var inverse: String?
    var isOptional: Bool
    var minCount: Int
    var maxCount: Int
    var isOrdered: Bool
    var deleteRule: Int
  }

  struct Index: Codable {
    var name: String
    /// The properties, each with its direction.
    var elements: [Element]

    struct Element: Codable {
      var property: String
      var isAscending: Bool
    }
  }

  init(_ model: ManagedObjectModel) {
    for entity in model.entities { entities.append(Entity(entity)) }
  }

  /// Returns the attribute name for an element of a composite.
  static func plainName(_ name: String) -> String {
    name.hasPrefix("@") ? name : String(name.map { $0 == "." ? "_" : $0 })
  }
}

extension RecordedModel.Entity {
  init(_ entity: EntityDescription) {
    let inherited = Set(entity.superentity?.properties.map(\.name) ?? [])
    let isOwn = { (name: String) in !inherited.contains(name) }
    name = entity.name ?? ""
    superentity = entity.superentity?.name
    isAbstract = entity.isAbstract
    attributes = entity.attributesInOrder.filter { isOwn($0.name) && !$0.isTransient }
      .flatMap(Self.plain)
    relationships = entity.relationshipsInOrder.filter { isOwn($0.name) && !$0.isTransient }
      .map(RecordedModel.Relationship.init)
    uniquenessConstraints = entity.uniquenessConstraints.map { $0.map(RecordedModel.plainName) }
    indexes = entity.indexes.filter { $0.partialIndexPredicate == nil }.compactMap { index in
      let elements = index.elements.compactMap { element in
        element.propertyName.map {
          RecordedModel.Index.Element(
            property: RecordedModel.plainName($0), isAscending: element.isAscending)
        }
      }
      guard elements.count == index.elements.count else { return nil }
      return RecordedModel.Index(name: index.name, elements: elements)
    }
  }

  private static func plain(_ attribute: AttributeDescription) -> [RecordedModel.Attribute] {
    guard let composite = attribute as? CompositeAttributeDescription else {
      let type = attribute.type == .transformable ? .binaryData : attribute.type
      return [
        .init(name: attribute.name, type: type.rawValue, isOptional: attribute.isOptional)
      ]
    }
    return composite.elements.compactMap { $0 as? AttributeDescription }.flatMap(plain).map {
      .init(name: "\(attribute.name)_\($0.name)", type: $0.type, isOptional: $0.isOptional)
    }
  }
}

extension RecordedModel.Relationship {
  init(_ relationship: RelationshipDescription) {
    name = relationship.name
    destination = relationship.destinationEntity?.name ?? ""
    inverse = relationship.inverseRelationship?.name
    isOptional = relationship.isOptional
    minCount = relationship.minCount
    maxCount = relationship.maxCount
    isOrdered = relationship.isOrdered
    deleteRule = relationship.deleteRule.rawValue
  }
}
