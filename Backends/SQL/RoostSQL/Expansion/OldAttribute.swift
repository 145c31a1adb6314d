// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The column of an attribute that entities have in the old version only, in a table that both versions use.
struct OldAttribute {
  let table: SQLTable
  let column: SQLColumn
  let title: String
  let entity: EntityChange
  let slot: RowSlot
  let attribute: AttributeDescription
  /// The value in records that the new version inserts; nil for null.
  let value: SQLValue?
  /// Whether the new version has the column too, for other entities.
  let isUsed: Bool

  /// Whether the old version requires a value and would find null.
  var lacksValue: Bool { value == nil && !attribute.isOptional }
}

extension SQLExpansion {
  /// Returns the columns of attributes that only the old version has.
  func oldAttributes() throws -> [OldAttribute] {
    var seen: Set<String> = []
    var result: [OldAttribute] = []
    for entity in evolution.change.entities {
      guard let mapped = evolution.source.entity(entity.source),
        evolution.kept.keeps(mapped.table.name)
      else { continue }
      let owners = SlotOwners(entity.source)
      for slot in entity.removedSlots {
        guard let column = mapped.column(slot),
          case .attribute(let attribute, let name) = entity.source.layout.contents[slot.index],
          seen.insert(mapped.table.name + "." + column.name).inserted
        else { continue }
        result.append(
          OldAttribute(
            table: mapped.table, column: column, title: "\(owners.owner(of: slot)).\(name)",
            entity: entity, slot: slot, attribute: attribute,
            value: try Self.value(
              of: attribute, entity.source.storedDefault(at: slot), column.kind),
            isUsed: isUsed(column, of: mapped.table)))
      }
    }
    return result
  }

  /// Returns whether the new version uses a column of the old one.
  func isUsed(_ column: SQLColumn, of table: SQLTable) -> Bool {
    evolution.destination.tables.contains { after in
      evolution.kept.table(ofRoot: after.root) === table
        && after.columns.contains { $0.name == column.name }
    }
  }

  private static func value(
    of attribute: AttributeDescription, _ value: Value, _ kind: SlotKind
  ) throws -> SQLValue? {
    guard value.isNull else { return try SQLValue(value) }
    guard !attribute.isOptional else { return nil }
    switch kind {
    case .integer: return .integer(0)
    case .boolean: return .boolean(false)
    case .double, .date: return .real(0)
    case .string: return .text("")
    case .uri: return .text("about:blank")
    case .data: return .blob(Data())
    case .uuid: return .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .decimal: return .decimal(0)
    case .transformable, .reference, .position: return nil
    }
  }
}
