// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// An ordered index over the rows of an entity and its subentities.
///
/// Each row has one entry: the values of the components, and the record's key to tell equal values apart. So entries
/// are ordered as the rows are when they are sorted by the components, ties included. In an index of words a row has
/// an entry for each word of its text.
package final class IndexDefinition: Sendable {
  /// The purpose of an index.
  package enum Purpose: Sendable, Hashable {
    /// A fetch index of the model.
    case fetch
    /// The values must be unique in the hierarchy of the entity (B196). The attributes' names.
    case unique([String])
    /// The sources of a to-one relationship by destination, in the order of the destinations' to-many side.
    case inverse
    /// The words of a searchable text, each once for a record.
    case words
  }

  /// One value of an entry.
  package struct Component: Sendable, Hashable {
    package var slot: RowSlot
    package var name: String
    package var isDescending: Bool

    package init(slot: RowSlot, name: String, isDescending: Bool = false) {
      self.slot = slot
      self.name = name
      self.isDescending = isDescending
    }
  }

  package let purpose: Purpose
  /// The name in plans, as `Person.byAge`.
  package let name: String
  /// The entity that declares the index.
  package let entity: EntityDescription
  /// The codes of the entities whose rows are in the index.
  package let entityCodes: [Int]
  package let components: [Component]
  /// The conditions of a partial index, slot by slot; empty when all rows have entries.
  let conditions: [PartialCondition]
  /// The table of the entries.
  package let table: EntryTable
  /// The longest key of an entry; longer ones are truncated.
  package let longestKey: Int

  /// Whether the keys of the entries can be written at once.
  let hasShortKeys: Bool
  private let coveredCodes: [Bool]

  /// Makes an index without a table; ``placed(in:longestKey:)`` assigns it one.
  init(
    purpose: Purpose, name: String, entity: EntityDescription, entityCodes: [Int],
    components: [Component], conditions: [PartialCondition] = [],
    table: EntryTable = EntryTable(number: 0), longestKey: Int = .max
  ) {
    self.purpose = purpose
    self.name = name
    self.entity = entity
    self.entityCodes = entityCodes
    self.components = components
    self.conditions = conditions
    self.table = table
    self.longestKey = longestKey
    hasShortKeys = IndexDefinition.areShort(components, longestKey: longestKey)
    var covered = [Bool](repeating: false, count: (entityCodes.max() ?? 0) + 1)
    for code in entityCodes { covered[code] = true }
    coveredCodes = covered
  }

  /// Whether the records of an entity code have entries.
  func covers(code: Int) -> Bool {
    code < coveredCodes.count && coveredCodes[code]
  }

  /// Whether the record with a key has an entry.
  func covers(_ key: Int64) -> Bool {
    covers(code: RecordKey.entityCode(of: key))
  }

  /// The same index with its table.
  func placed(in table: EntryTable, longestKey: Int) -> IndexDefinition {
    IndexDefinition(
      purpose: purpose, name: name, entity: entity, entityCodes: entityCodes,
      components: components, conditions: conditions, table: table, longestKey: longestKey)
  }

  /// A stored identifier of the definition: when it changes, the index is rebuilt.
  package var signature: String {
    let kind: String
    switch purpose {
    case .fetch: kind = "fetch"
    case .unique: kind = "unique"
    case .inverse: kind = "inverse"
    case .words: kind = "words-\(SearchWords.signature)"
    }
    let parts = components.map { component in
      "\(component.name):\(component.slot.kind.rawValue)\(component.isDescending ? " desc" : "")"
    }
    let codes = entityCodes.sorted().map(String.init).joined(separator: ",")
    let rows = conditions.map(\.signature).joined()
    return "\(kind) \(name) (\(parts.joined(separator: ", "))) of \(codes)\(rows)"
  }

  /// Whether the index can be filled after it was defined: it only makes fetches faster. Without the other ones values
  /// could be stored twice, and the objects that lead to one would not be found.
  var isDeferrable: Bool {
    switch purpose {
    case .fetch, .words: true
    case .unique, .inverse: false
    }
  }

  /// The number of records that get entries in one transaction of a deferred step: a text has many words.
  var portion: Int { purpose == .words ? 1_000 : 10_000 }

  /// Whether an index can have a component of a kind.
  package static func canOrder(_ kind: SlotKind) -> Bool {
    kind != .transformable
  }
}
