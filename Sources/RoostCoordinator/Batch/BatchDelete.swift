// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostQuery
package import RoostStore

/// The removal of all records that match a request, or of given ones (B275).
package struct BatchDelete: Sendable {
  /// Which records.
  package var target: Target
  /// Who writes.
  package var origin: StoreChangeSet.Origin
  /// Whether the answer is to name the records.
  package var wantsIDs = true

  package init(target: Target, origin: StoreChangeSet.Origin) {
    self.target = target
    self.origin = origin
  }

  /// Which records are removed.
  package enum Target: Sendable {
    /// Those that match; the request's result is rows.
    case matching(CoordinatorFetch)
    /// Those with permanent IDs of one entity; records that are gone are no error.
    case objects([ObjectID])

    /// The name of the entity that is named; nil for no records.
    var entityName: String? {
      switch self {
      case .matching(let fetch): fetch.fetch.entity.name
      case .objects(let ids): ids.first?.entity.name
      }
    }
  }
}

extension PersistentStoreCoordinator {
  /// Removes records, with what their delete rules say of others: cascade and nullify are done, deny and the smallest
  /// counts of relationships are not asked for (B275). Contexts are not told (B272).
  ///
  /// - Returns: The records that were removed, with those that were removed by cascade.
  /// - Throws: `readOnlyStore`, `storeRemoved`, or what a store throws; nothing was written then.
  /// - Complexity: One request where a single store can do it by itself. Else two round trips a store, and up to two
  ///   for each relationship of each step of a cascade. When another save comes between, it begins anew.
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
