// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A model as boxes and lines, for both forms of a diagram.
struct ModelGraph {
  /// An entity.
  struct Box: Equatable {
    var name: String
    var isAbstract: Bool
    var rows: [Row]
  }

  /// A property in a box.
  struct Row: Equatable {
    var name: String
    var type: String
    var isRelationship: Bool
  }

  /// A relationship with its inverse, or an inheritance.
  struct Line: Equatable {
    var kind: Kind
    var source: End
    var destination: End
  }

  enum Kind: Equatable { case relationship, inheritance }

  /// Where a line ends.
  struct End: Equatable {
    /// The index of the box.
    var box: Int
    /// The index of the relationship's row; nil for the title.
    var row: Int?
    /// Whether a record can have many at this end.
    var isMany = false
  }

  private(set) var boxes: [Box] = []
  private(set) var lines: [Line] = []

  init(_ model: ManagedObjectModel) {
    let entities = model.entities.sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
    var indexes: [ObjectIdentifier: Int] = [:]
    for (index, entity) in entities.enumerated() {
      indexes[ObjectIdentifier(entity)] = index
      boxes.append(Self.box(entity))
    }
    for (index, entity) in entities.enumerated() {
      if let parent = entity.superentity.flatMap({ indexes[ObjectIdentifier($0)] }) {
        lines.append(
          Line(kind: .inheritance, source: End(box: index), destination: End(box: parent)))
      }
      for relationship in Self.relationships(of: entity) {
        guard let other = relationship.destinationEntity,
          let destination = indexes[ObjectIdentifier(other)]
        else { continue }
        let inverse = relationship.inverseRelationship
        let owner = inverse?.entity.flatMap { indexes[ObjectIdentifier($0)] } ?? destination
        // Each pair is one line: that of the relationship that comes first.
        if let inverse, (owner, inverse.name) < (index, relationship.name) { continue }
        lines.append(
          Line(
            kind: .relationship,
            source: End(
              box: index, row: row(relationship.name, in: index),
              isMany: inverse.map(\.isToMany) ?? false),
            destination: End(
              box: owner, row: inverse.flatMap { row($0.name, in: owner) },
              isMany: relationship.isToMany)))
      }
    }
  }

  private func row(_ name: String, in box: Int) -> Int? {
    boxes[box].rows.firstIndex { $0.isRelationship && $0.name == name }
  }

  private static func relationships(of entity: EntityDescription) -> [RelationshipDescription] {
    entity.declaredProperties.compactMap { $0 as? RelationshipDescription }
      .sorted { UTF8Order.isLess($0.name, $1.name) }
  }

  private static func box(_ entity: EntityDescription) -> Box {
    let attributes = entity.declaredProperties.compactMap { $0 as? AttributeDescription }
      .sorted { UTF8Order.isLess($0.name, $1.name) }
    var rows = attributes.map { attribute in
      Row(
        name: attribute.name, type: "\(attribute.type)" + (attribute.isOptional ? "?" : ""),
        isRelationship: false)
    }
    rows += relationships(of: entity).map { relationship in
      let name = relationship.destinationEntity?.name ?? ""
      return Row(
        name: relationship.name, type: relationship.isToMany ? "\(name) *" : name,
        isRelationship: true)
    }
    return Box(name: entity.name ?? "", isAbstract: entity.isAbstract, rows: rows)
  }
}

/// Texts in XML.
enum MarkupText {
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // XML has no way to write other control characters.
      case _ where scalar.properties.generalCategory == .control: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
