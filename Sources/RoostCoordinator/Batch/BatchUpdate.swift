// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
package import RoostStore

/// A batch update of all records that match a condition (B274).
package struct BatchUpdate: Sendable {
  /// The request for the records; its result type is rows.
  package var fetch: CoordinatorFetch
  /// The constant values for slots.
  package var values: [SlotValue] = []
  /// The slots whose values are computed for each record.
  package var computed: [ComputedSlot] = []
  /// The origin of the change, for the history.
  package var origin: StoreChangeSet.Origin
  /// Whether the result lists the IDs of the records.
  package var wantsIDs = true

  package init(fetch: CoordinatorFetch, origin: StoreChangeSet.Origin) {
    self.fetch = fetch
    self.origin = origin
  }

  /// A slot and its new value, which ``ValueCheck`` has accepted.
  package typealias SlotValue = StoreBatchUpdate.SlotValue
  /// A slot and the expression for its new value.
  package typealias ComputedSlot = StoreBatchUpdate.ComputedSlot
}

extension PersistentStoreCoordinator {
  /// Updates all records that match a condition; all expressions are evaluated on the previous values (B274).
  /// Contexts are not informed (B272).
  ///
  /// - Returns: The records, including those that already had the values: their versions are incremented, too.
  /// - Throws: `readOnlyStore`, `invalidValue` for a computed value that the attribute cannot have, or the error of a
  ///   store; nothing was written then.
  /// - Complexity: One request where a single store holds the entity and can perform it alone. Otherwise each match
  ///   is read and written, in two round trips for each store; it is retried after a conflict with a concurrent save.
  package func update(_ batch: BatchUpdate) throws -> BatchOutcome {
    try BatchOutcome.told(to: instruments, .batchUpdate, of: batch.fetch.fetch.entity.name) {
      if let outcome = try BatchInStore(coordinator: self).update(batch) { return outcome }
      return try commitBatch(origin: batch.origin) {
        guard case .rows(let rows) = try fetch(batch.fetch) else { return BatchChanges() }
        return try BatchChanges(updating: rows, batch, in: stores(in: nil))
      }
    }
  }
}

extension BatchChanges {
  fileprivate init(updating rows: FetchedRows, _ batch: BatchUpdate, in list: StoreList) throws {
    self.init()
    for (store, rows) in rows.byStore() {
      let updates = try BatchChanges.updates(of: rows, in: store, batch, list)
      add(store) { $0.updated = updates }
      ids += try store.objectIDs(forKeys: rows.map(\.key))
    }
  }

  private static func updates(
    of rows: [Row], in store: AttachedStore, _ batch: BatchUpdate, _ list: StoreList
  ) throws -> [RowUpdate] {
    let computed = try computedValues(of: rows, in: store, batch.computed, list)
    return try rows.enumerated().map { index, base in
      let row = base.copy(version: base.version &+ 1)
      for change in batch.values { try row.setValue(change.value, at: change.slot) }
      for (place, change) in batch.computed.enumerated() {
        let value = computed[index * batch.computed.count + place]
        try row.setValue(ValueCheck.check(value, for: change.attribute), at: change.slot)
      }
      let slots = batch.values.map(\.slot) + batch.computed.map(\.slot)
      let changed = slots.filter { !row.equals(base, at: $0) }.map(\.index).sorted()
      return RowUpdate(row: row, baseVersion: base.version, changedSlots: changed)
    }
  }

  private static func computedValues(
    of rows: [Row], in store: AttachedStore, _ computed: [BatchUpdate.ComputedSlot],
    _ list: StoreList
  ) throws -> [Value] {
    guard !computed.isEmpty else { return [] }
    // An expression may follow a relationship into another store.
    let leaves = list.stores.count > 1 && store.schema.model.hasRelationshipsAcrossStores
    let source =
      leaves
      ? StoreRowSource([store] + list.stores.filter { $0 !== store }, across: list)
      : StoreRowSource([store])
    source.expect(rows, fromStore: 0)
    let columns = computed.map { change in
      ResolvedColumns.Column(
        name: change.attribute.name, expression: change.expression, isAggregate: false,
        type: change.attribute.type)
    }
    return try ColumnEvaluator(ResolvedColumns(columns: columns), source: source)
      .tuples(rows.map { StoreRow(row: $0, store: 0) })
  }
}
