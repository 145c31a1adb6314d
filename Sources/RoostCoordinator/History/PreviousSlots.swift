// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// Finds the slots and link tables of previous values: by current names, and by the names before a renaming. Values
/// of properties that were removed from the model are not found.
package struct PreviousSlots {
  private let schema: StoreSchema
  private var slotsByCode: [Int: [Name: RowSlot]] = [:]
  private var tables: [TableName: LinkTable]?

  private struct Name: Hashable {
    var kind: StorePreviousValue.Kind
    var text: String
  }

  private struct TableName: Hashable {
    var code: Int
    var relationship: String
  }

  package init(_ schema: StoreSchema) {
    self.schema = schema
  }

  /// Returns the slot that held a value; nil when the model no longer has it.
  package mutating func slot(of value: StorePreviousValue, ofKey key: Int64) -> RowSlot? {
    let code = RecordKey.entityCode(of: key)
    if slotsByCode[code] == nil {
      slotsByCode[code] = schema.layout(ofKey: key).map(Self.slots) ?? [:]
    }
    return slotsByCode[code]?[Name(kind: value.kind, text: value.name)]
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
  package mutating func table(of link: StorePreviousLink) -> LinkTable? {
    if tables == nil {
      var found: [TableName: LinkTable] = [:]
      for table in schema.linkTables {
        guard let code = table.relationship.entity.flatMap({ schema.code(of: $0) }) else {
          continue
        }
        for name in Self.names(of: table.relationship) {
          let name = TableName(code: code, relationship: name)
          if found[name] == nil { found[name] = table }
        }
      }
      tables = found
    }
    return tables?[TableName(code: link.entityCode, relationship: link.relationship)]
  }

  private static func slots(_ layout: RowLayout) -> [Name: RowSlot] {
    var result: [Name: RowSlot] = [:]
    // Current names take precedence over former ones.
    for isFormer in [false, true] {
      for (content, slot) in zip(layout.contents, layout.slots) {
        for name in isFormer ? formerNames(of: content, in: layout.entity) : [content.name] {
          let name = Name(kind: content.previousKind, text: name)
          if result[name] == nil { result[name] = slot }
        }
      }
    }
    return result
  }

  private static func formerNames(
    of content: SlotContent, in entity: EntityDescription
  ) -> [String] {
    switch content {
    case .attribute(_, let name):
      guard let dot = name.firstIndex(of: ".") else {
        return entity.attributesInOrder.first { $0.name == name }?.renamingIdentifier.map { [$0] }
          ?? []
      }
      let former = entity.attributesInOrder.first { $0.name == name[..<dot] }?.renamingIdentifier
      return former.map { [$0 + name[dot...]] } ?? []
    case .reference(let relationship):
      return relationship.renamingIdentifier.map { [$0] } ?? []
    case .position(let relationship):
      let owners = [relationship.entity?.name, relationship.entity?.renamingIdentifier]
      return owners.compactMap { $0 }.flatMap { owner in
        names(of: relationship).map { "@position.\(owner).\($0)" }
      }
    }
  }

  private static func names(of relationship: RelationshipDescription) -> [String] {
    [relationship.name] + (relationship.renamingIdentifier.map { [$0] } ?? [])
  }
}
