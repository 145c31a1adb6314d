// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
package import RoostStore

/// A store's schema with the indexes and link tables that a ``KeyValueStore`` keeps for it.
package final class KeyValueSchema: Sendable {
  package let schema: StoreSchema
  /// All indexes. Those of uniqueness constraints and relationships can answer fetches like any other.
  package let indexes: [IndexDefinition]
  /// The indexes, as positions in ``indexes``, that have entries for the rows of an entity code.
  package let indexesByCode: [[Int]]
  /// The tables of links, by the model's link table.
  package let links: [ObjectIdentifier: LinkTables]
  /// The slots of an entity code's layout that are not stored (B313).
  let transientSlotsByCode: [[RowSlot]]
  /// The stamp of the catalog when the store was prepared.
  let catalogStamp: UInt64
  /// The model version that the store was prepared for.
  let version: Version
  /// The table of the transaction history; nil when the store keeps no history.
  let history: HistoryTable?
  /// The tables of references to other stores; nil when the model's relationships stay within one store.
  let foreign: ForeignTables?
  /// The tables of indexes that are maintained by every save but not filled yet; they are not read.
  private let unbuilt: Set<EntryTable>

  /// The model version in a store's metadata.
  struct Version: Equatable, Sendable {
    private let epoch: Int?
    private let hashes: [String: Data]

    init(_ metadata: StoreMetadata) {
      epoch = metadata.epoch
      hashes = metadata.entityVersionHashes
    }
  }

  /// The two entry tables of a link table: the members of each source, and the sources of each member.
  package struct LinkTables: Sendable {
    package var forward: EntryTable
    package var backward: EntryTable
    /// The codes of the entities on either side.
    var sourceCodes: Set<Int>
    var destinationCodes: Set<Int>
    /// Whether entries have positions.
    var isOrdered: Bool
  }

  init(
    schema: StoreSchema, indexes: [IndexDefinition], links: [ObjectIdentifier: LinkTables],
    catalogStamp: UInt64, version: Version, history: HistoryTable? = nil,
    foreign: ForeignTables? = nil, unbuilt: Set<EntryTable> = []
  ) {
    self.unbuilt = unbuilt
    self.history = history
    self.foreign = foreign
    self.schema = schema
    self.indexes = indexes
    self.links = links
    self.catalogStamp = catalogStamp
    self.version = version
    let codes = schema.entities.compactMap { schema.code(of: $0) }
    var byCode = [[Int]](repeating: [], count: (codes.max() ?? 0) + 1)
    var transientSlots = [[RowSlot]](repeating: [], count: byCode.count)
    for entity in schema.entities {
      guard let code = schema.code(of: entity) else { continue }
      transientSlots[code] = entity.layout.slots.filter { !entity.layout.storedSlots.contains($0) }
    }
    for (position, index) in indexes.enumerated() {
      for code in index.entityCodes { byCode[code].append(position) }
    }
    indexesByCode = byCode
    transientSlotsByCode = transientSlots
  }

  /// The index that lists the sources of a to-one relationship by destination.
  ///
  /// - Parameters:
  ///   - slot: The relationship's slot.
  ///   - entity: The entity of the sources.
  package func inverseIndex(of slot: RowSlot, in entity: EntityDescription) -> IndexDefinition? {
    indexes.first { index in
      index.purpose == .inverse && index.components[0].slot.offset == slot.offset
        && (entity.isKindOf(entity: index.entity) || index.entity.isKindOf(entity: entity))
    }
  }

  /// Whether an index has entries for all records.
  func isBuilt(_ index: IndexDefinition) -> Bool {
    unbuilt.isEmpty || !unbuilt.contains(index.table)
  }

  /// The same, once an index is filled.
  func building(_ index: IndexDefinition) -> KeyValueSchema {
    KeyValueSchema(
      schema: schema, indexes: indexes, links: links, catalogStamp: catalogStamp, version: version,
      history: history, foreign: foreign, unbuilt: unbuilt.subtracting([index.table]))
  }

  /// The indexes that have entries for rows of an entity code.
  func indexes(forEntityCode code: Int) -> [Int] {
    code < indexesByCode.count ? indexesByCode[code] : []
  }
}
