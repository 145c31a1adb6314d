// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// Batch requests as statements, in the transaction of a save that writes nothing else: so they are found out about when
// an answer is lost, and tried again when they lose against others, as saves are.
extension PostgreSQLStore: StoreBatches {
  package var batches: (any StoreBatches)? { isReadOnly ? nil : self }

  package func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt? {
    let prepared = try prepared()
    return try translating {
      guard
        let statements = try SQLBatchUpdate(batch, in: prepared.mapping, prepared.derivations)
      else { return nil }
      return try run(batch.terms) { [self] connection in
        try UpdateRun(batch: batch, statements: statements, store: self, connection: connection)
          .run()
      }
    }
  }

  package func delete(_ batch: StoreBatchDelete) throws -> BatchReceipt? {
    let prepared = try prepared()
    return try translating {
      try run(batch.terms) { [self] connection in
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

  /// Runs the statements of a batch request, and commits them.
  ///
  /// - Parameter body: Runs them in the transaction that has begun; it may be called again. Returns what they have
  ///   done, and what the history says of it.
  /// - Returns: nil when the request cannot be carried out so, and nothing was written.
  private func run(
    _ terms: BatchTerms,
    _ body: @escaping (PostgreSQLConnection) throws -> (BatchReceipt, StoreChangeSet)
  ) throws -> BatchReceipt? {
    guard !isReadOnly, !metadata.keepsPreviousValues else { return nil }
    let work = BatchWork(body)
    do {
      return try noticingPreparedParts(StoreChangeSet()) {
        _ = try SaveWriter(StoreChangeSet(), to: self, batch: work).run()
        noteCommit(of: StoreChangeSet())
        return work.receipt
      }
    } catch is BatchImpossible {
      return nil
    } catch is NothingToWrite {
      return work.receipt
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
    for probe in try statements.probes() {
      store.log(probe.text)
      let found = try connection.run(PostgreSQLCommand(probe.text, probe.bindings))
      guard found.count == 0 else { throw BatchImpossible() }
    }
    let keepsHistory = store.metadata.keepsHistory
    // Where the condition looks at other records, the server would not judge it anew for a record that somebody has
    // changed meanwhile: so the records are locked first.
    guard !keepsHistory, !statements.readsOthers else {
      return try updateLocked(showsChanges: keepsHistory)
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

  /// Locks the records that match, and updates those.
  private func updateLocked(showsChanges: Bool) throws -> (BatchReceipt, StoreChangeSet) {
    let selection = try statements.selection(
      showsChanges: showsChanges, ending: " FOR UPDATE OF t0")
    let flags = showsChanges ? statements.slots.count : 0
    var taker = FlagTaker(flags)
    store.log(selection.text)
    try connection.stream(
      PostgreSQLCommand(selection.text, selection.bindings), types: taker.types, into: &taker)
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
