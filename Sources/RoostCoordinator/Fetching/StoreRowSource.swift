// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Lets the shared evaluator read rows of stores, and follows their relationships for all rows at once.
struct StoreRowSource: EvaluationSource {
  /// What is loaded of each store of the request.
  let stores: [LoadedRows]

  init(_ stores: [AttachedStore]) {
    self.stores = stores.map { LoadedRows(of: $0) }
  }

  /// Announces the rows that will be judged: their relationships are then loaded together.
  func expect(_ rows: [Row], fromStore index: Int) {
    stores[index].addCohort(rows)
  }

  func base(of item: StoreRow) -> UnsafeMutableRawPointer { item.row.base }

  func identity(of item: StoreRow) -> StoreRow.Identity {
    StoreRow.Identity(key: item.row.key, store: item.store)
  }

  func identity(for id: ObjectID) -> StoreRow.Identity? {
    let id = id.current
    guard let identity = id.storeIdentity,
      let store = stores.firstIndex(where: {
        $0.store.identity.identifier == identity.identifier
      })
    else { return nil }
    return StoreRow.Identity(key: id.key, store: store)
  }

  func objectID(for identity: StoreRow.Identity) -> ObjectID? {
    stores[identity.store].store.objectID(forKey: identity.key)
  }

  func entity(of item: StoreRow) -> EntityDescription { item.row.layout.entity }

  func tieBreaker(of item: StoreRow) -> Int64 { item.row.key }

  func destination(
    of relationship: RelationshipDescription, from item: StoreRow
  ) throws -> StoreRow? {
    try stores[item.store].destination(of: relationship, from: item.row)
      .map { StoreRow(row: $0, store: item.store) }
  }

  func destinationIdentity(
    of relationship: RelationshipDescription, from item: StoreRow
  ) -> StoreRow.Identity? {
    guard case .toOne(let slot) = relationship.storage, let key = item.row.reference(slot) else {
      return nil
    }
    return StoreRow.Identity(key: key, store: item.store)
  }

  func destinations(
    of relationship: RelationshipDescription, from item: StoreRow
  ) throws -> [StoreRow] {
    try stores[item.store].destinations(of: relationship, from: item.row)
      .map { StoreRow(row: $0, store: item.store) }
  }
}
