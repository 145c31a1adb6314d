// SPDX-License-Identifier: Apache-2.0

/// Writes the text of a model, sorted by name wherever the order has no meaning.
struct CanonicalModelWriter {
  private let model: ManagedObjectModel

  init(_ model: ManagedObjectModel) {
    self.model = model
  }

  /// - Throws: `limitExceeded` when a name is too long, `invalidModel` when the model has a part without a name.
  func node(checksum: String) throws(PersistenceError) -> TextNode {
    var entities: [TextNode] = []
    for entity in sorted(model.entities, by: { $0.name ?? "" }) {
      entities.append(try node(of: entity))
    }
    let identifiers = model.versionIdentifiers.sorted(by: UTF8Order.isLess)
    let configurations = model.configurations.map { name in
      let members = model.entitiesByConfiguration[name, default: []].compactMap(\.name)
      return TextNode.object([
        "name": .text(name), "entities": .texts(members.sorted(by: UTF8Order.isLess)),
      ])
    }
    return .object([
      "format": .number(CanonicalModel.format), "checksum": .text(checksum),
      "identifiers": .texts(identifiers), "configurations": .nodes(configurations),
      "entities": .nodes(entities),
    ])
  }

  private func sorted<Part>(_ parts: [Part], by name: (Part) -> String) -> [Part] {
    parts.map { (name: name($0), part: $0) }.sorted { UTF8Order.isLess($0.name, $1.name) }
      .map(\.part)
  }

  private func checked(_ name: String?, _ entity: EntityDescription) throws(PersistenceError)
    -> TextNode
  {
    guard let name, !name.isEmpty else {
      throw PersistenceError(
        .invalidModel, "A part of the model has no name.", entityName: entity.name)
    }
    guard name.utf8.count <= CanonicalModel.largestNameLength else {
      throw PersistenceError(
        .limitExceeded,
        "A name is longer than \(CanonicalModel.largestNameLength >> 10) kB: no store can keep it.")
    }
    return .text(name)
  }

  private func node(of entity: EntityDescription) throws(PersistenceError) -> TextNode {
    var attributes: [TextNode] = []
    var relationships: [TextNode] = []
    for property in sorted(entity.declaredProperties, by: \.name) {
      switch property {
      case let attribute as AttributeDescription:
        attributes.append(try node(of: attribute, entity))
      case let relationship as RelationshipDescription:
        relationships.append(try node(of: relationship, entity))
      default: continue
      }
    }
    var indexes: [TextNode] = []
    for index in sorted(entity.indexes, by: \.name) { indexes.append(try node(of: index, entity)) }
    let constraints = sorted(entity.uniquenessConstraints) { $0.joined(separator: ".") }
    return .object([
      "name": try checked(entity.name, entity),
      "superentity": entity.superentity?.name.map(TextNode.text),
      "abstract": .ifTrue(entity.isAbstract),
      "renamingIdentifier": renaming(entity.explicitRenamingIdentifier, of: entity.name),
      "modifier": entity.versionHashModifier.map(TextNode.text),
      "unique": .nodes(constraints.map { .list($0.map(TextNode.text)) }),
      "attributes": .nodes(attributes), "relationships": .nodes(relationships),
      "indexes": .nodes(indexes),
    ])
  }

  /// Returns the renaming identifier; nil when it equals the name.
  private func renaming(_ identifier: String?, of name: String?) -> TextNode? {
    guard let identifier, identifier.utf8.elementsEqual((name ?? "").utf8) == false else {
      return nil
    }
    return .text(identifier)
  }

  private func node(
    of attribute: AttributeDescription, _ entity: EntityDescription
  ) throws(PersistenceError) -> TextNode {
    let derived = attribute as? DerivedAttributeDescription
    var elements: [TextNode] = []
    if let composite = attribute as? CompositeAttributeDescription {
      let attributes = composite.elements.compactMap { $0 as? AttributeDescription }
      for element in sorted(attributes, by: \.name) {
        elements.append(try node(of: element, entity))
      }
    }
    return .object([
      "name": try checked(attribute.name, entity),
      "type": .text(attribute.type.description),
      "optional": .ifTrue(attribute.isOptional), "transient": .ifTrue(attribute.isTransient),
      "default": ValueText.defaultNode(of: attribute),
      "derivation": derived.map { .text($0.derivationExpression?.expressionFormat ?? "") },
      "transformer": attribute.valueTransformerName.map(TextNode.text),
      "external": .ifTrue(attribute.allowsExternalBinaryDataStorage),
      "inHistory": .ifTrue(attribute.preservesValueInHistoryOnDeletion),
      "searchable": .ifTrue(attribute.isSearchable),
      "elementType": attribute.elementType.map { .text($0.description) },
      "unrounded": .ifTrue(!attribute.allowsRounding),
      "renamingIdentifier": renaming(attribute.explicitRenamingIdentifier, of: attribute.name),
      "modifier": attribute.versionHashModifier.map(TextNode.text),
      "elements": .nodes(elements),
    ])
  }

  private func node(
    of relationship: RelationshipDescription, _ entity: EntityDescription
  ) throws(PersistenceError) -> TextNode {
    .object([
      "name": try checked(relationship.name, entity),
      "destination": try checked(relationship.destinationEntity?.name, entity),
      "inverse": relationship.inverseRelationship.map { .text($0.name) },
      "optional": .ifTrue(relationship.isOptional), "transient": .ifTrue(relationship.isTransient),
      "minimum": relationship.minCount == 0 ? nil : .number(Int64(relationship.minCount)),
      "maximum": relationship.maxCount == 0 ? nil : .number(Int64(relationship.maxCount)),
      "ordered": .ifTrue(relationship.isOrdered),
      "across": .ifTrue(relationship.mayCrossStores),
      "deletion": relationship.deleteRule == .nullify
        ? nil : .text("\(relationship.deleteRule)"),
      "renamingIdentifier": renaming(
        relationship.explicitRenamingIdentifier, of: relationship.name),
      "modifier": relationship.versionHashModifier.map(TextNode.text),
    ])
  }

  private func node(
    of index: FetchIndexDescription, _ entity: EntityDescription
  ) throws(PersistenceError) -> TextNode {
    let elements = index.elements.map { element in
      let column = element.property as? ExpressionDescription
      return TextNode.object([
        "property": column == nil ? .text(element.propertyName ?? "") : nil,
        "expression": column.map { .text($0.expression?.expressionFormat ?? "") },
        "type": column.flatMap {
          $0.resultType == .undefined ? nil : .text($0.resultType.description)
        },
        "rTree": .ifTrue(element.collationType == .rTree),
        "descending": .ifTrue(!element.isAscending),
      ])
    }
    return .object([
      "name": try checked(index.name, entity),
      "where": index.partialIndexPredicate.map { .text($0.predicateFormat) },
      "elements": .nodes(elements),
    ])
  }
}
