// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A column with a text that the model declares as searchable.
package struct SQLWordColumn: Sendable, Hashable {
  /// The identifier of the table.
  package let table: String
  /// The column's identifier.
  package let column: String
  /// The name of the index in plans, such as `Note.words(title)`.
  package let title: String
}

extension SQLWordColumn {
  /// Returns the searchable texts of some entities of one hierarchy, each column once.
  ///
  /// - Parameter column: Returns the column of a slot of an entity, by the entity's position; nil for a slot that is
  ///   not stored.
  static func all(
    of members: [EntityDescription], table: String, column: (Int, RowSlot) -> SQLColumn?
  ) -> [SQLWordColumn] {
    var found: [SQLWordColumn] = []
    for (position, entity) in members.enumerated() {
      for attribute in entity.attributesInOrder where attribute.isSearchable && attribute.isStored {
        guard let slot = entity.layout.slot(named: attribute.name), slot.kind == .string,
          let column = column(position, slot), !found.contains(where: { $0.column == column.name })
        else { continue }
        let owner = SlotOwners(entity).owner(of: slot)
        found.append(
          SQLWordColumn(
            table: table, column: column.name, title: "\(owner).words(\(attribute.name))"))
      }
    }
    return found
  }
}
