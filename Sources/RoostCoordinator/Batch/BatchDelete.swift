// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostQuery
package import RoostStore

/// A batch deletion of all records that match a request, or of given ones (B275).
package struct BatchDelete: Sendable {
  /// The records to delete.
  package var target: Target
  /// The origin of the change, for the history.
  package var origin: StoreChangeSet.Origin
  /// Whether the result lists the IDs of the records.
  package var wantsIDs = true

  package init(target: Target, origin: StoreChangeSet.Origin) {
    self.target = target
    self.origin = origin
  }

  /// The records to delete.
  package enum Target: Sendable {
    /// The records that match a request, whose result type is rows.
    case matching(CoordinatorFetch)
    /// Records with permanent IDs of one entity; missing records are no error.
    case objects([ObjectID])

    /// The name of the entity; nil for an empty list.
    var entityName: String? {
      switch self {
      case .matching(let fetch): fetch.fetch.entity.name
      case .objects(let ids): ids.first?.entity.name
      }
    }
  }
}

extension PersistentStoreCoordinator {
  /// Deletes records and applies their delete rules: cascade and nullify are applied, deny and minimum counts of
  /// relationships are not checked (B275). Contexts are not informed (B272).
  ///
  /// - Returns: The deleted records, including those deleted by cascade.
  /// - Throws: `readOnlyStore`, `storeRemoved`, or the error of a store; nothing was written then.
  /// - Complexity: One request where a single store can perform it alone. Otherwise two round trips for each store,
  ///   and up to two for each relationship at each step of a cascade; it is retried after a conflict with a
  ///   concurrent save.
  package func delete(_ batch: BatchDelete) throws -> BatchOutcome {
    try BatchOutcome.told(to: instruments, .batchDelete, of: batch.target.entityName) {
      if let outcome = try BatchInStore(coordinator: self).delete(batch) { return outcome }
      return try commitBatch(origin: batch.origin) {
        let list = route()
        if list.stores.count > 1, managedObjectModel.hasRelationshipsAcrossStores {
          return try RecordDeletionAcross(of: rows(of: batch.target), in: list).changes
        }
        var changes = BatchChanges()
        for (store, rows) in try rows(of: batch.target) {
          let deletion = try RecordDeletion(of: rows, in: store)
          changes.ids += try store.objectIDs(forKeys: deletion.removed.map(\.key))
          changes.add(store) { part in
            part.deleted = deletion.removed
            part.updated = deletion.updated
          }
        }
        return changes
      }
    }
  }

  private func rows(
    of target: BatchDelete.Target
  ) throws -> [(store: AttachedStore, rows: [Row])] {
    switch target {
    case .matching(let fetch):
      guard case .rows(let rows) = try self.fetch(fetch) else { return [] }
      return rows.byStore()
    case .objects(let ids):
      return try StoreGroups(ids, in: route()).groups.map { group in
        (group.store, try group.store.storedRows(forKeys: Array(Set(group.keys)).sorted()))
      }
    }
  }
}
