// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// Batch requests as statements, in the transaction of a save that writes nothing else. So their outcome is determined
// after a lost answer, and they are retried after serialization failures and deadlocks, as saves are.
extension PostgreSQLStore: StoreBatches {
  package var batches: (any StoreBatches)? { isReadOnly ? nil : self }

  package func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt? {
    let prepared = try prepared()
    return try translating {
      guard
        let statements = try SQLBatchUpdate(batch, in: prepared.mapping, prepared.derivations)
      else { return nil }
      return try BatchWork.run(batch.terms, in: self) { [self] connection in
        try UpdateRun(batch: batch, statements: statements, store: self, connection: connection)
          .run()
      }
    }
  }

  package func delete(_ batch: StoreBatchDelete) throws -> BatchReceipt? {
    let prepared = try prepared()
    return try translating {
      try BatchWork.run(batch.terms, in: self) { [self] connection in
        let session = PostgreSQLBatchSession(connection, self)
        var deletion = SQLBatchDelete(prepared.mapping, prepared.derivations, session)
        let count = try deletion.collect(batch.target)
        let keepsHistory = metadata.keepsHistory
        var terms = batch.terms
        if keepsHistory {
          let kept = prepared.mapping.store.keysKeptInHistory(try session.keys())
          terms.notes?.lastRows = kept.isEmpty ? [] : try rows(kept, prepared, connection)
        }
        if count > 0 { try deletion.remove(listing: keepsHistory || terms.wantsKeys) }
        var receipt = BatchReceipt(count: count)
        if terms.wantsKeys {
          receipt.updated = deletion.records.updates.flatMap(\.keys)
          receipt.deleted = deletion.records.deleted
        }
        return (receipt, StoreChangeSet(deletion.records, terms))
      }
    }
  }
}

/// One attempt to carry out a batch update.
private struct UpdateRun {
  let batch: StoreBatchUpdate
  let statements: SQLBatchUpdate
  let store: PostgreSQLStore
  let connection: PostgreSQLConnection

  func run() throws -> (BatchReceipt, StoreChangeSet) {
    let keepsHistory = store.metadata.keepsHistory
    let probes = try statements.probes()
    // When the condition reads other records, the server would not evaluate it again for a record that a concurrent
    // transaction has changed; and the records that a probe has read must still exist. So the records are locked
    // first.
    guard !keepsHistory, !statements.readsOthers, probes.isEmpty else {
      return try updateLocked(showsChanges: keepsHistory) {
        for probe in probes {
          store.log(probe.text)
          let found = try connection.run(PostgreSQLCommand(probe.text, probe.bindings))
          guard found.count == 0 else { throw BatchImpossible() }
        }
      }
    }
    let update = try statements.update(returnsKeys: batch.terms.wantsKeys)
    let command = try PostgreSQLCommand(update.text, update.bindings)
    store.log(update.text)
    var receipt = BatchReceipt(count: 0)
    if batch.terms.wantsKeys {
      var taker = KeyTaker(nil)
      try connection.stream(command, types: [.integer], into: &taker)
      receipt.updated = taker.keys.sorted()
      receipt.count = taker.keys.count
    } else {
      receipt.count = try connection.run(command).affected
    }
    return (receipt, StoreChangeSet(BatchRecords(), batch.terms))
  }

  /// Locks the records that match, and updates them.
  ///
  /// - Parameter check: Runs once the records are locked.
  private func updateLocked(
    showsChanges: Bool, check: () throws -> Void
  ) throws -> (BatchReceipt, StoreChangeSet) {
    let selection = try statements.selection(
      showsChanges: showsChanges, ending: " FOR UPDATE OF t0")
    let flags = showsChanges ? statements.slots.count : 0
    var taker = FlagTaker(flags)
    store.log(selection.text)
    try connection.stream(
      PostgreSQLCommand(selection.text, selection.bindings), types: taker.types, into: &taker)
    try check()
    var records = BatchRecords()
    if showsChanges {
      let slots = statements.slots.map(\.index)
      for (key, changed) in zip(taker.keys, taker.changed) {
        let changed = slots.indices.filter { changed & 1 << UInt64($0) != 0 }.map { slots[$0] }
        records.add(key, slots: changed.sorted(), code: RecordKey.entityCode(of: key))
      }
    }
    let update = try statements.updateListed()
    var parameters = try Parameters(update.bindings)
    try parameters.append(taker.keys)
    store.log(update.text)
    _ = try connection.run(PostgreSQLCommand(update.text, parameters))
    let receipt = BatchReceipt(count: taker.keys.count, updated: taker.keys)
    return (receipt, StoreChangeSet(records, batch.terms))
  }
}
