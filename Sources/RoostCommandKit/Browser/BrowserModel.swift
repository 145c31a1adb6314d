// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The description of a store and its model for the page.
struct BrowserModel {
  let session: StoreSession
  let canWrite: Bool

  init(_ session: StoreSession, canWrite: Bool) {
    self.session = session
    self.canWrite = canWrite
  }

  private static let note =
    "The model is the one that the store keeps, which has no validation rules: what is required or unique "
    + "is checked, least and largest values are not. With --model FILE they are."

  var node: OutputNode {
    .object([
      "title": .text(session.title),
      "type": .text(session.store.description.type.rawValue),
      "identifier": .text(session.store.metadata.identifier),
      "canWrite": .boolean(canWrite),
      "note": canWrite && !session.knowsValidationRules ? .text(Self.note) : nil,
      "entities": .list(session.entities.map(entity)),
    ])
  }

  /// The number of records of each entity, with those of its subentities.
  func counts() throws -> OutputNode {
    let counts = try StoreTransferRun.counts(session)
    return .object(
      session.entities.map { entity in
        let all = entity.concreteEntities.reduce(0) { $0 + (counts[$1.name ?? ""] ?? 0) }
        return OutputNode.Member(name: entity.name ?? "", value: .integer(all))
      })
  }

  private func entity(_ entity: EntityDescription) -> OutputNode {
    .object([
      "name": .text(entity.name ?? ""), "isAbstract": .boolean(entity.isAbstract),
      "parent": entity.superentity?.name.map(OutputNode.text),
      "attributes": .list(Self.attributes(of: entity).map(attribute)),
      "relationships": .list(Self.relationships(of: entity).map(relationship)),
    ])
  }

  /// Returns the stored attributes of an entity, including inherited ones.
  static func attributes(of entity: EntityDescription) -> [AttributeDescription] {
    entity.attributesInOrder.filter { !$0.isTransient }
      .sorted { UTF8Order.isLess($0.name, $1.name) }
  }

  static func relationships(of entity: EntityDescription) -> [RelationshipDescription] {
    entity.relationshipsInOrder.filter { !$0.isTransient }
      .sorted { UTF8Order.isLess($0.name, $1.name) }
  }

  private func attribute(_ attribute: AttributeDescription) -> OutputNode {
    .object([
      "name": .text(attribute.name), "type": .text("\(attribute.type)"),
      "isOptional": .boolean(attribute.isOptional),
      "default": attribute.defaultConstant.isNull
        ? nil : CellOutput.record.node(attribute.defaultConstant),
      "obstacle": TypedText.obstacle(to: attribute).map(OutputNode.text),
    ])
  }

  private func relationship(_ relationship: RelationshipDescription) -> OutputNode {
    .object([
      "name": .text(relationship.name),
      "destination": .text(relationship.destinationEntity?.name ?? ""),
      "isToMany": .boolean(relationship.isToMany), "isOptional": .boolean(relationship.isOptional),
      "isOrdered": .boolean(relationship.isOrdered),
      "inverse": (relationship.inverseRelationship?.name).map(OutputNode.text),
      "deleteRule": .text("\(relationship.deleteRule)"),
    ])
  }
}
