// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// Finds the slots and link tables of previous values: by current names, and by those before a renaming. Values of
/// properties that were removed from the model are not found.
package struct PreviousSlots {
  private let schema: StoreSchema
  private let names: HistoryNames
  private var slotsByCode: [Int: [Name: [RowSlot]]] = [:]
  private var tables: [TableName: [LinkTable]]?

  private struct Name: Hashable {
    var kind: StorePreviousValue.Kind
    var text: String
  }

  private struct TableName: Hashable {
    var code: Int
    var relationship: String
  }

  package init(_ schema: StoreSchema, _ names: HistoryNames) {
    self.schema = schema
    self.names = names
  }

  /// Returns the slot that held a value; nil when the model no longer has it.
  ///
  /// - Throws: `persistentHistoryTokenExpired` for a name with several meanings.
  package mutating func slot(
    of value: StorePreviousValue, ofKey key: Int64
  ) throws(PersistenceError) -> RowSlot? {
    let code = RecordKey.entityCode(of: key)
    if slotsByCode[code] == nil {
      slotsByCode[code] = schema.layout(ofKey: key).map(slots) ?? [:]
    }
    let found = slotsByCode[code]?[Name(kind: value.kind, text: value.name)]
    return try sole(found, value.name, schema.entity(ofKey: key))
  }

  /// Returns the only meaning of a name; nil when it has none.
  private func sole<Meaning>(
    _ found: [Meaning]?, _ name: String, _ entity: EntityDescription?
  ) throws(PersistenceError) -> Meaning? {
    guard let found, let first = found.first else { return nil }
    let isRemoved = entity.map { names.hasRemoved(name, in: $0) } ?? false
    guard found.count == 1, !isRemoved else {
      throw .historyNameIsAmbiguous(name, in: entity, store: schema.identity.identifier)
    }
    return first
  }

  /// Restores the previous value of a slot.
  ///
  /// - Returns: Whether the slot can hold it: the type of the attribute may have changed since.
  package static func set(_ value: Value, at slot: RowSlot, of row: Row) -> Bool {
    do {
      var value = value
      if case .attribute(let attribute, _) = row.layout.contents[slot.index] {
        value = try ValueCheck.check(value, for: attribute)
      }
      try row.setValue(value, at: slot)
      return true
    } catch {
      return false
    }
  }

  /// Returns the table of a link; nil when the model no longer has it.
  ///
  /// - Throws: `persistentHistoryTokenExpired` for a name with several meanings.
  package mutating func table(of link: StorePreviousLink) throws(PersistenceError) -> LinkTable? {
    let known = tables ?? allTables()
    tables = known
    let name = TableName(code: link.entityCode, relationship: link.relationship)
    return try sole(known[name], link.relationship, known[name]?.first?.relationship.entity)
  }

  private func allTables() -> [TableName: [LinkTable]] {
    var result: [TableName: [LinkTable]] = [:]
    for table in schema.linkTables {
      guard let entity = table.relationship.entity, let code = schema.code(of: entity) else {
        continue
      }
      for name in names(of: table.relationship) {
        result[TableName(code: code, relationship: name), default: []].append(table)
      }
    }
    return result
  }

  private func slots(_ layout: RowLayout) -> [Name: [RowSlot]] {
    var result: [Name: [RowSlot]] = [:]
    for (content, slot) in zip(layout.contents, layout.slots) {
      for name in names(of: content, in: layout.entity) {
        result[Name(kind: content.previousKind, text: name), default: []].append(slot)
      }
    }
    return result
  }

  /// Returns the present and former names of a slot.
  private func names(of content: SlotContent, in entity: EntityDescription) -> [String] {
    switch content {
    case .attribute(_, let name):
      let head = name.prefix { $0 != "." }
      let identifier = entity.attributesInOrder.first { $0.name == head }?.renamingIdentifier
      return [name]
        + names.formerNames(
          of: name, in: entity, identifier: identifier.map { $0 + name.dropFirst(head.count) },
          isTaken: { former in
            entity.attributesInOrder.contains { $0.name == former.prefix { $0 != "." } }
          })
    case .reference(let relationship):
      return names(of: relationship, in: entity)
    case .position(let relationship):
      guard let owner = relationship.entity else { return [] }
      return names.names(of: owner).flatMap { owner in
        names(of: relationship).map { "@position.\(owner).\($0)" }
      }
    }
  }

  private func names(
    of relationship: RelationshipDescription, in entity: EntityDescription? = nil
  ) -> [String] {
    guard let entity = entity ?? relationship.entity else { return [relationship.name] }
    return [relationship.name]
      + names.formerNames(
        of: relationship.name, in: entity, identifier: relationship.renamingIdentifier,
        isTaken: { entity.relationshipsByName[$0] != nil })
  }
}
