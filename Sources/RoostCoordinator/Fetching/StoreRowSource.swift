// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Provides rows of stores to the shared evaluator, and follows their relationships in batches.
struct StoreRowSource: EvaluationSource {
  /// The loaded rows of each store of the request.
  let stores: [LoadedRows]
  /// Follows relationships into other stores; nil when each store is evaluated by itself.
  private let across: RowsAcross?

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - stores: The stores of the rows, followed by those into which relationships may lead.
  ///   - list: The stores into which relationships may lead; nil for none: then a reference to a record of another
  ///     store is treated as one to a deleted record.
  ///   - neededSlots: The names of the slots that are needed in loaded rows; nil for whole rows.
  init(
    _ stores: [AttachedStore], across list: StoreList? = nil, neededSlots: Set<String>? = nil
  ) {
    let loaded = stores.map { LoadedRows(of: $0, neededSlots: neededSlots) }
    self.stores = loaded
    across = list.map { RowsAcross(loaded, in: $0) }
  }

  /// Announces the rows that will be evaluated, so that their relationships are loaded together.
  func expect(_ rows: [Row], fromStore index: Int) {
    stores[index].addCohort(rows)
  }

  func base(of item: StoreRow) -> UnsafeMutableRawPointer { item.row.base }

  func identity(of item: StoreRow) -> StoreRow.Identity {
    StoreRow.Identity(key: item.row.key, store: item.store)
  }

  func identity(for id: ObjectID) -> StoreRow.Identity? {
    let id = id.current
    guard let identity = id.storeIdentity else { return nil }
    let store = stores.firstIndex { $0.store.identity.identifier == identity.identifier }
    guard let store else { return across?.absentIdentity(id) }
    return StoreRow.Identity(key: id.key, store: store)
  }

  func objectID(for identity: StoreRow.Identity) -> ObjectID? {
    guard identity.store < stores.count else { return across?.absentID(identity) }
    return stores[identity.store].store.objectID(forKey: identity.key)
  }

  func entity(of item: StoreRow) -> EntityDescription { item.row.layout.entity }

  func tieBreaker(of item: StoreRow) -> Int64 { item.row.key }

  func destination(
    of relationship: RelationshipDescription, from item: StoreRow
  ) throws -> StoreRow? {
    if let across, relationship.leadsAcrossStores {
      return try across.destination(of: relationship, from: item)
    }
    return try stores[item.store].destination(of: relationship, from: item.row)
      .map { StoreRow(row: $0, store: item.store) }
  }

  func destinationIdentity(
    of relationship: RelationshipDescription, from item: StoreRow
  ) throws -> StoreRow.Identity? {
    if let across, relationship.leadsAcrossStores {
      return try across.destinationIdentity(of: relationship, from: item)
    }
    guard case .toOne(let slot) = relationship.storage, let key = item.row.reference(slot) else {
      return nil
    }
    return StoreRow.Identity(key: key, store: item.store)
  }

  func destinations(
    of relationship: RelationshipDescription, from item: StoreRow
  ) throws -> [StoreRow] {
    if let across, relationship.leadsAcrossStores {
      return try across.destinations(of: relationship, from: item)
    }
    return try stores[item.store].destinations(of: relationship, from: item.row)
      .map { StoreRow(row: $0, store: item.store) }
  }
}
