// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// Batch requests as statements, in one transaction that ends with a synchronised log. Requests for which SQL would
// give another result than the evaluator are left to the coordinator: then nothing is written.
extension SQLiteStore: StoreBatches {
  package var batches: (any StoreBatches)? { isReadOnly ? nil : self }

  package func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt? {
    let prepared = try prepared()
    return try translating {
      try prepared.answering(self) { prepared in
        guard
          let statements = try SQLBatchUpdate(batch, in: prepared.mapping, prepared.derivations)
        else { return nil }
        return try writingBatch(batch.terms, prepared) { connection in
          try update(batch, statements, prepared, connection)
        }
      }
    }
  }

  private func update(
    _ batch: StoreBatchUpdate, _ statements: SQLBatchUpdate, _ prepared: PreparedSchema,
    _ connection: SQLiteConnection
  ) throws -> BatchReceipt {
    for probe in try statements.probes() {
      log(probe.text)
      guard try connection.number(probe.text, probe.bindings) == nil else {
        throw BatchImpossible()
      }
    }
    var receipt = BatchReceipt(count: 0)
    let keepsHistory = metadata.keepsHistory
    var records = BatchRecords()
    if keepsHistory {
      let selection = try statements.selection(showsChanges: true)
      let slots = statements.slots
      var keys: [Int64] = []
      log(selection.text)
      try connection.withStatement(selection.text, selection.bindings) { statement in
        while try statement.step() {
          let key = statement.integer(0)
          keys.append(key)
          let changed = slots.indices.filter { statement.integer(Int32($0 + 1)) != 0 }
          records.add(
            key, slots: changed.map { slots[$0].index }.sorted(),
            code: RecordKey.entityCode(of: key))
        }
      }
      receipt.updated = keys
    }
    let returnsKeys = batch.terms.wantsKeys && !keepsHistory
    let hint = try statements.usesIndex && findsMuch(statements, connection) ? " NOT INDEXED" : ""
    let update = try statements.update(returnsKeys: returnsKeys, hint: hint)
    log(update.text)
    try connection.withStatement(update.text, update.bindings) { statement in
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.integer(0)) }
      if returnsKeys { receipt.updated = keys.sorted() }
    }
    receipt.count = receipt.updated?.count ?? connection.changes
    if keepsHistory {
      receipt.position = try note(records, batch.terms, prepared, connection)
    }
    return receipt
  }

  /// Returns whether an index finds so many records that a table scan is faster: an index has the records in another
  /// order than the table's pages.
  private func findsMuch(
    _ statements: SQLBatchUpdate, _ connection: SQLiteConnection
  ) throws -> Bool {
    let largest = statements.largestKey
    log(largest.text)
    let numbers = RecordKey.sequence(of: try connection.number(largest.text) ?? 0)
    let bound = max(256, numbers / 20)
    let counting = try statements.counting(upTo: bound)
    log(counting.text)
    return try connection.number(counting.text, counting.bindings) ?? 0 >= bound
  }

  package func delete(_ batch: StoreBatchDelete) throws -> BatchReceipt? {
    let prepared = try prepared()
    return try translating {
      try prepared.answering(self) { prepared in
        try writingBatch(batch.terms, prepared) { connection in
          try DeleteRun(batch: batch, store: self, prepared: prepared, connection: connection)
            .run()
        }
      }
    }
  }

  /// Adds the changes of a batch request to the history.
  fileprivate func note(
    _ records: BatchRecords, _ terms: BatchTerms, _ prepared: PreparedSchema,
    _ connection: SQLiteConnection
  ) throws -> StorePosition? {
    try SQLiteHistoryTable.add(
      StoreChangeSet(records, terms), of: prepared.mapping.store, epoch: prepared.historyEpoch,
      log: description.log, connection)
  }

  /// Runs a batch request in a transaction of its own.
  ///
  /// - Returns: nil when it cannot be carried out by statements, and nothing was written.
  private func writingBatch(
    _ terms: BatchTerms, _ prepared: PreparedSchema,
    _ body: (SQLiteConnection) throws -> BatchReceipt
  ) throws -> BatchReceipt? {
    guard !isReadOnly, !metadata.keepsPreviousValues else { return nil }
    return try pool.write(cancellation) { connection in
      do {
        try connection.run("BEGIN IMMEDIATE")
        try pool.checkVersion(connection)
        guard try PreparedTables.isEmpty(connection) else { throw BatchImpossible() }
        let receipt = try connection.interruptible {
          let receipt = try body(connection)
          try prepared.indexWords(connection)
          return receipt
        }
        try connection.waiting.cancellation.check()
        try connection.commitTransaction()
        return receipt
      } catch is BatchImpossible {
        connection.rollBack()
        return nil
      } catch let error as SQLiteError where error.isUniquenessViolation {
        connection.rollBack()
        return nil
      } catch {
        connection.rollBack()
        throw error
      }
    }
  }
}

/// A batch deletion in the open transaction.
private struct DeleteRun {
  let batch: StoreBatchDelete
  let store: SQLiteStore
  let prepared: PreparedSchema
  let connection: SQLiteConnection

  func run() throws -> BatchReceipt {
    let session = try SQLiteBatchSession(connection, log: store.description.log)
    defer { session.end() }
    var deletion = SQLBatchDelete(prepared.mapping, prepared.derivations, session)
    var receipt = BatchReceipt(count: try deletion.collect(batch.target))
    guard receipt.count > 0 else {
      if batch.terms.wantsKeys { (receipt.updated, receipt.deleted) = ([], []) }
      return receipt
    }
    let keepsHistory = store.metadata.keepsHistory
    let lastRows = keepsHistory ? try lastRows(session) : []
    try deletion.remove(listing: keepsHistory || batch.terms.wantsKeys)
    if keepsHistory {
      var terms = batch.terms
      terms.notes?.lastRows = lastRows
      receipt.position = try store.note(deletion.records, terms, prepared, connection)
    }
    if batch.terms.wantsKeys {
      receipt.updated = deletion.records.updates.flatMap(\.keys)
      receipt.deleted = deletion.records.deleted
    }
    return receipt
  }

  /// Returns the rows of the records to delete that have attributes to keep in the history: one statement per entity.
  private func lastRows(_ session: SQLiteBatchSession) throws -> [Row] {
    let dialect = prepared.mapping.dialect
    var rows: [Row] = []
    for code in try session.codes() {
      let type = try prepared.recordType(ofKey: RecordKey.make(sequence: 1, entityCode: code))
      guard !type.entity.entity.attributesKeptInHistory.isEmpty else { continue }
      var members = SQLSetStatement()
      let text = prepared.mapping.selectByKeys(
        type.entity, members: members.membership(in: SQLKeySet(codes: [code]), dialect))
      store.log(text)
      try connection.withStatement(text, members.bindings) { statement in
        let keyColumn = Int32(statement.columnCount - 1)
        while try statement.step() {
          let key = statement.integer(keyColumn)
          rows.append(
            try type.reader.row(from: statement, key: key, version: statement.version(0)))
        }
      }
    }
    return rows
  }
}
