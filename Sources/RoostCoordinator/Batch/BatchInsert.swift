// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// A batch insertion of records of one entity (B276).
package struct BatchInsert: Sendable {
  package var entity: EntityDescription
  /// The records, in the order of their insertion.
  package var records: [Record] = []
  /// The stores that may hold the records; nil for all that hold the entity.
  package var affectedStores: [StoreIdentity]?
  /// The properties of the uniqueness constraint that identifies existing records; nil for any constraint.
  package var constraint: Set<String>?
  /// The origin of the change, for the history.
  package var origin: StoreChangeSet.Origin

  package init(
    entity: EntityDescription, affectedStores: [StoreIdentity]?, origin: StoreChangeSet.Origin
  ) {
    self.entity = entity
    self.affectedStores = affectedStores
    self.origin = origin
  }

  /// A record: a row with default values, and the slots whose values the request gave.
  package struct Record: Sendable {
    package var row: Row
    package var slots: [RowSlot]

    package init(row: Row, slots: [RowSlot]) {
      self.row = row
      self.slots = slots
    }
  }
}

extension PersistentStoreCoordinator {
  /// Inserts records into the first writable store that holds their entity (B278). Where a unique value is taken, the
  /// existing record is updated with the values of the request instead; its other values and its relationships stay
  /// (B276). Contexts are not informed (B272).
  ///
  /// - Returns: The inserted or updated records, in the order of the request; a record that the request names twice
  ///   appears twice.
  /// - Throws: `noStore`, `readOnlyStore`, or the error of a store; nothing was written then.
  /// - Complexity: One round trip, and one more whenever unique values turn out to be taken.
  package func insert(_ batch: BatchInsert) throws -> BatchOutcome {
    guard !batch.records.isEmpty else { return .done([]) }
    return try BatchOutcome.told(to: instruments, .batchInsert, of: batch.entity.name) {
      let store = try storeForInsertion(of: batch)
      let ids = try obtainPermanentIDs(
        for: NewRecords(batch.records.count, of: batch.entity, in: store))
      var upsert = Upsert(batch, ids: ids)
      while true {
        var changes = BatchChanges()
        changes.add(store) { part in
          part = upsert.changes
          part.origin = batch.origin
        }
        switch try commit(changes.parts, announce: { announce($0, isBatch: true) }) {
        case .committed: return .done(try store.objectIDs(forKeys: upsert.keys))
        case .incomplete(_, let error): throw error
        case .conflicted(let conflicts):
          guard upsert.resolve(conflicts) else { return .conflicted(conflicts) }
        }
      }
    }
  }

  private func storeForInsertion(of batch: BatchInsert) throws -> AttachedStore {
    let list = route()
    let holders = try list.router.storesForFetch(
      of: [batch.entity], named: batch.entity.name, affected: batch.affectedStores
    ).map { list.stores[$0] }
    guard let store = holders.first(where: { !$0.isReadOnly }) else {
      guard let holder = holders.first else {
        throw list.absence.error(entityName: batch.entity.name, hasStores: true)
      }
      throw PersistenceError(
        .readOnlyStore, "The store is read-only.", entityName: batch.entity.name,
        store: holder.displayName)
    }
    return store
  }
}
