// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostObjects

/// A record of a file, interpreted with the model.
struct ImportEntry {
  let number: Int
  let place: RecordPlace
  let plan: EntityPlan
  let id: String?
  /// The attribute values of the line.
  private(set) var values: [(attribute: AttributeDescription, value: Value)] = []
  /// The relationships of the line; nil means no destinations.
  private(set) var links: [(relationship: RelationshipDescription, references: [RecordReference])] =
    []
  /// The key that identifies the record; nil for a record without one.
  private(set) var key: RecordKeyValues?
  /// All keys for which the line has values.
  private(set) var keys: [RecordKeyValues] = []

  /// - Throws: A fault in the contents of the line.
  init(
    _ fields: RecordFields, number: Int, place: RecordPlace, entity: String?, _ target: ImportTarget
  ) throws(ExchangeFault) {
    guard let name = fields.entity ?? entity else {
      throw ExchangeFault(
        "the line names no entity", code: .unknownEntity,
        remedy: "Give the entity in the options, in “@entity” of each line, or by the file's name.")
    }
    plan = try target.plan(named: name)
    id = fields.id
    self.number = number
    self.place = place
    let reader = FieldReader(readsTexts: fields.isText)
    for member in fields.members {
      switch plan.properties[member.name] {
      case let attribute as AttributeDescription:
        values.append((attribute, try reader.value(member.node, of: attribute)))
      case let relationship as RelationshipDescription:
        links.append((relationship, try Self.references(member.node, relationship, reader, target)))
      default: throw Self.unknown(member.name, plan)
      }
    }
    for key in plan.keys {
      let found = key.attributes.compactMap { attribute in
        values.first { $0.attribute === attribute && !$0.value.isNull }?.value
      }
      if found.count == key.attributes.count { keys.append(RecordKeyValues(key, found)) }
    }
    guard let wanted = target.options.keys[name] else {
      key = keys.first
      guard key != nil || !target.options.needsKeys else {
        throw ExchangeFault(
          "the line of “\(name)” has no unique key, so it would be made once more each time",
          code: .invalidRequest, key: plan.keys.first?.names.first,
          remedy: "Give the entity a uniqueness constraint, and each line its values.")
      }
      return
    }
    key = keys.first { Set($0.names) == Set(wanted) }
    guard key != nil else {
      throw ExchangeFault(
        "the line has no value of its key \(wanted.joined(separator: ", "))", key: wanted.first,
        remedy: "Give each line a value, or do not name the key in the options.")
    }
  }

  static func unknown(_ name: String, _ plan: EntityPlan) -> ExchangeFault {
    if plan.entity.propertiesByName[name] != nil {
      return ExchangeFault(
        "“\(name)” is computed, and is not to be set", code: .unknownKey, key: name,
        remedy: "Leave it out: map the column to nothing.")
    }
    let names = plan.properties.keys.sorted(by: UTF8Order.isLess).joined(separator: ", ")
    return ExchangeFault(
      "“\(plan.name)” has no property “\(name)”", code: .unknownKey, key: name,
      remedy: "Map the column to one of \(names), or to nothing.")
  }

  /// Returns the destinations that a relationship names.
  private static func references(
    _ node: JSONNode, _ relationship: RelationshipDescription, _ reader: FieldReader,
    _ target: ImportTarget
  ) throws(ExchangeFault) -> [RecordReference] {
    switch node {
    case .null: return []
    case .object where reader.readsTexts && node.hasNothing: return []
    case .list(let nodes) where relationship.isToMany:
      var references: [RecordReference] = []
      for node in nodes { references.append(try reference(node, relationship, reader, target)) }
      return references
    case .text, .object:
      guard !relationship.isToMany else { break }
      return [try reference(node, relationship, reader, target)]
    default: break
    }
    let wanted = relationship.isToMany ? "a list of destinations" : "a destination"
    throw ExchangeFault(
      "“\(relationship.name)” takes \(wanted), not \(node.kind)", key: relationship.name,
      remedy: "Name a destination by its unique key, as {\"name\": \"Engines\"}, or by its “@id”.")
  }

  private static func reference(
    _ node: JSONNode, _ relationship: RelationshipDescription, _ reader: FieldReader,
    _ target: ImportTarget
  ) throws(ExchangeFault) -> RecordReference {
    if case .text(let id) = node { return .id(id) }
    guard case .object(var members) = node, var entity = relationship.destinationEntity else {
      throw ExchangeFault(
        "“\(relationship.name)” names a destination by an object or a text, not \(node.kind)",
        key: relationship.name)
    }
    if let place = members.firstIndex(where: { $0.name == "@entity" }),
      case .text(let name) = members.remove(at: place).node
    {
      guard let named = target.coordinator.managedObjectModel.entitiesByName[name],
        named.isKindOf(entity: entity)
      else {
        throw ExchangeFault(
          "“\(relationship.name)” leads to “\(entity.name ?? "")”, which “\(name)” is not",
          key: relationship.name)
      }
      entity = named
    }
    guard let key = target.key(of: entity, named: members.map(\.name)) else {
      let names = members.map { "“\($0.name)”" }.joined(separator: ", ")
      throw ExchangeFault(
        "“\(entity.name ?? "")” has no uniqueness constraint of \(names), by which "
          + "“\(relationship.name)” names it", code: .invalidRequest, key: relationship.name,
        remedy: "Name a destination by all attributes of a constraint, or by the “@id” of its line."
      )
    }
    var values: [Value] = []
    for attribute in key.attributes {
      let node = members.first { $0.name == attribute.name }?.node ?? .null
      let value = try reader.value(node, of: attribute)
      guard !value.isNull else {
        throw ExchangeFault(
          "“\(relationship.name)” names a destination by a key with nil in it",
          key: relationship.name)
      }
      values.append(value)
    }
    return .key(RecordKeyValues(key, values))
  }
}
