// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The table of a whole hierarchy of entities, as in Core Data. The low twelve bits of a key are the code of the
/// record's concrete entity, so there is no column for it.
package final class SQLTable: Sendable {
  /// The column of the key and the column of the version. Generated identifiers never begin with an underscore.
  package static let key = "_key"
  package static let version = "_version"

  /// The table's identifier.
  package let name: String
  /// The table, as statements name it, with its namespace where the dialect has one.
  package let reference: String
  /// The entity at the top of the hierarchy.
  package let root: EntityDescription
  /// The columns of all entities of the hierarchy.
  package let columns: [SQLColumn]
  /// The codes of the concrete entities whose records the table holds, ascending.
  package let codes: [Int]
  /// The indexes, without the one of the key.
  package let indexes: [SQLIndex]
  /// The columns with searchable texts.
  package let wordColumns: [SQLWordColumn]

  init(
    name: String, reference: String, root: EntityDescription, columns: [SQLColumn], codes: [Int],
    indexes: [SQLIndex], wordColumns: [SQLWordColumn]
  ) {
    self.name = name
    self.reference = reference
    self.root = root
    self.columns = columns
    self.codes = codes
    self.indexes = indexes
    self.wordColumns = wordColumns
  }
}

/// A column that holds one slot of a row.
package struct SQLColumn: Sendable, Hashable {
  /// The column's identifier.
  package let name: String
  /// The kind of its values.
  package let kind: SlotKind
}

/// An index of a table.
package struct SQLIndex: Sendable, Hashable {
  /// The index's identifier.
  package let name: String
  /// The indexed terms, as SQL.
  package let terms: [String]
  /// The identifiers of the columns among the terms.
  package let columns: [String]
  /// Whether the index is unique.
  package let isUnique: Bool
  /// The condition of a partial index, as SQL; nil for all records.
  package let condition: String?
}

/// The mapping of one entity's rows to columns.
package final class SQLEntity: Sendable {
  /// The entity.
  package let entity: EntityDescription
  /// Its code in the store's keys.
  package let code: Int
  /// The table of its hierarchy.
  package let table: SQLTable
  /// The column index of each slot of the layout; -1 for slots that are not stored.
  package let columnBySlot: [Int]
  /// The slots that are stored, ascending.
  package let storedSlots: [RowSlot]
  /// The codes of the concrete entities among the entity itself and its subentities, ascending.
  package let concreteCodes: [Int]
  /// The constraints that records of this entity obey, inherited ones included.
  package let constraints: [SQLConstraint]

  init(
    entity: EntityDescription, code: Int, table: SQLTable, columnBySlot: [Int],
    concreteCodes: [Int], constraints: [SQLConstraint]
  ) {
    self.entity = entity
    self.code = code
    self.table = table
    self.columnBySlot = columnBySlot
    self.concreteCodes = concreteCodes
    self.constraints = constraints
    storedSlots = entity.layout.slots.filter { columnBySlot[$0.index] >= 0 }
  }

  /// The column of a slot; nil when the slot is not stored.
  package func column(_ slot: RowSlot) -> SQLColumn? {
    let index = slot.index < columnBySlot.count ? columnBySlot[slot.index] : -1
    return index >= 0 ? table.columns[index] : nil
  }
}

/// A uniqueness constraint of a hierarchy (B190, B196).
package struct SQLConstraint: Sendable {
  /// The entity that declares it.
  package let entityName: String
  /// The names of the properties.
  package let properties: [String]
  /// Their slots, in the layouts of the declaring entity and its subentities.
  package let slots: [RowSlot]
  /// The index that enforces it.
  package let index: SQLIndex
}

/// The table of a set of links: the keys of both ends, and a position at each end that is ordered.
package final class SQLLinkTable: Sendable {
  package static let source = "source"
  package static let destination = "destination"
  package static let position = "position"
  package static let inversePosition = "inverse_position"
  package static let columns = [source, destination, position, inversePosition]

  /// The table's identifier.
  package let name: String
  /// The table, as statements name it, with its namespace where the dialect has one.
  package let reference: String
  /// The identifier of the index from destinations to sources.
  package let reverseIndex: String
  /// The links.
  package let links: LinkTable

  init(name: String, reference: String, reverseIndex: String, links: LinkTable) {
    self.name = name
    self.reference = reference
    self.reverseIndex = reverseIndex
    self.links = links
  }
}
