// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// How an entity and its properties are described.
struct EntityOutput {
  let entity: EntityDescription

  init(_ entity: EntityDescription) {
    self.entity = entity
  }

  private var name: String { entity.name ?? "" }

  /// The properties that the entity declares itself, sorted by name.
  private var attributes: [AttributeDescription] {
    entity.declaredProperties.compactMap { $0 as? AttributeDescription }
      .sorted { UTF8Order.isLess($0.name, $1.name) }
  }

  private var relationships: [RelationshipDescription] {
    entity.declaredProperties.compactMap { $0 as? RelationshipDescription }
      .sorted { UTF8Order.isLess($0.name, $1.name) }
  }

  // MARK: Text

  /// A paragraph.
  ///
  /// - Parameter count: The number of records without those of subentities; nil where there is no store.
  func lines(count: Int?) -> [String] {
    var title = name
    if let parent = entity.superentity?.name { title += ": \(parent)" }
    if entity.isAbstract {
      title += "  abstract"
    } else if let count {
      title += "  \(Quantity.of(count, "record"))"
    }
    var rows = attributes.map { [$0.name, Self.text(of: $0)] }
    rows += relationships.map { [$0.name, Self.text(of: $0)] }
    rows += entity.uniquenessConstraints.map { ["unique", $0.joined(separator: ", ")] }
    rows += entity.indexes.map { ["index", Self.text(of: $0)] }
    return [title] + Padding.table(rows).map { "  " + $0 }
  }

  static func text(of attribute: AttributeDescription) -> String {
    var words = [typeName(of: attribute)]
    if attribute.isOptional { words.append("optional") }
    if attribute.isTransient { words.append("transient") }
    let standard = attribute.defaultConstant
    if !standard.isNull { words.append("default \(standard)") }
    if let derived = attribute as? DerivedAttributeDescription {
      words.append("derived \(derived.derivationExpression?.expressionFormat ?? "")")
    }
    return words.joined(separator: ", ")
  }

  static func typeName(of attribute: AttributeDescription) -> String {
    guard let composite = attribute as? CompositeAttributeDescription else {
      return "\(attribute.type)"
    }
    let elements = composite.elements.compactMap { $0 as? AttributeDescription }
      .map { "\($0.name) \(typeName(of: $0))" }
    return "composite (\(elements.joined(separator: ", ")))"
  }

  private static func text(of relationship: RelationshipDescription) -> String {
    let arrow = relationship.isToMany ? (relationship.isOrdered ? "->> ordered" : "->>") : "->"
    var words = ["\(arrow) \(relationship.destinationEntity?.name ?? "")"]
    if let inverse = relationship.inverseRelationship { words.append("inverse \(inverse.name)") }
    if relationship.isOptional { words.append("optional") }
    if relationship.isTransient { words.append("transient") }
    words.append("\(relationship.deleteRule)")
    return words.joined(separator: ", ")
  }

  private static func text(of index: FetchIndexDescription) -> String {
    let elements = index.elements.map { element in
      (element.propertyName ?? "expression") + (element.isAscending ? "" : " descending")
    }
    let condition = index.partialIndexPredicate.map { " where \($0.predicateFormat)" } ?? ""
    return "\(index.name) (\(elements.joined(separator: ", ")))\(condition)"
  }

  // MARK: JSON

  func node(count: Int?) -> OutputNode {
    .object([
      "name": .text(name), "superentity": entity.superentity?.name.map(OutputNode.text),
      "isAbstract": .boolean(entity.isAbstract),
      "count": count.map { .integer($0) },
      "attributes": .list(attributes.map(Self.node)),
      "relationships": .list(relationships.map(Self.node)),
      "unique": .list(entity.uniquenessConstraints.map { .texts($0) }),
      "indexes": .list(entity.indexes.map(Self.node)),
    ])
  }

  private static func node(_ attribute: AttributeDescription) -> OutputNode {
    let standard = attribute.defaultConstant
    return .object([
      "name": .text(attribute.name), "type": .text(typeName(of: attribute)),
      "isOptional": .boolean(attribute.isOptional),
      "isTransient": .boolean(attribute.isTransient),
      "default": standard.isNull ? nil : ValueOutput.node(standard),
      "derivation": (attribute as? DerivedAttributeDescription)?.derivationExpression
        .map { .text($0.expressionFormat) },
    ])
  }

  private static func node(_ relationship: RelationshipDescription) -> OutputNode {
    .object([
      "name": .text(relationship.name),
      "destination": .text(relationship.destinationEntity?.name ?? ""),
      "inverse": relationship.inverseRelationship.map { .text($0.name) },
      "isToMany": .boolean(relationship.isToMany),
      "isOrdered": .boolean(relationship.isOrdered),
      "isOptional": .boolean(relationship.isOptional),
      "deleteRule": .text("\(relationship.deleteRule)"),
    ])
  }

  private static func node(_ index: FetchIndexDescription) -> OutputNode {
    .object([
      "name": .text(index.name),
      "elements": .list(
        index.elements.map {
          .object([
            "property": .text($0.propertyName ?? "expression"),
            "isAscending": .boolean($0.isAscending),
          ])
        }),
      "condition": index.partialIndexPredicate.map { .text($0.predicateFormat) },
    ])
  }
}
