// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
public import RoostStore

// Batch requests run inside one write transaction: first the matching keys are collected, then the records are read
// and written in portions. The engine excludes other writers, so no row version has to be compared, and no row leaves
// the store.
extension KeyValueStore: StoreBatches {
  /// The store itself; nil when it cannot be written.
  public var batches: (any StoreBatches)? { isReadOnly ? nil : self }

  /// The number of records that are read and written at a time.
  static let batchPortion = 1024

  /// Reads the records that match and writes them, a portion at a time.
  ///
  /// - Parameter batch: The fetch that selects the records, and their new values.
  /// - Returns: nil when the records have derived attributes or values that must be unique, or one of them cannot have
  ///   its value.
  public func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt? {
    let schema = try preparedSchema()
    let slots = batch.values.map(\.slot) + batch.computed.map(\.slot)
    guard try canCarryOut(batch.fetch, in: schema), !schema.hasUnique(slots, batch.fetch.entities)
    else { return nil }
    return try carryOut(schema) { snapshot, output, flush in
      var request = batch.fetch
      request.result = .keys
      guard case .keys(let keys) = try content(of: request, schema, snapshot) else {
        throw BatchImpossible()
      }
      let update = try PortionUpdate(batch, SnapshotSource(schema: schema, snapshot: snapshot))
      var records = BatchRecords()
      for start in stride(from: 0, to: keys.count, by: Self.batchPortion) {
        try cancellation.check()
        let some = Array(keys[start..<min(start + Self.batchPortion, keys.count)])
        let rows = try snapshot.rows(forKeys: some)
        guard rows.count == some.count else { throw BatchImpossible() }
        let updates = try update.updates(of: rows)
        if schema.history != nil {
          for update in updates {
            let key = update.row.key
            records.add(
              key, slots: update.changedSlots, code: RecordKey.entityCode(of: key))
          }
        }
        try write(StoreChangeSet(updated: updates), schema, snapshot, &output, flush)
      }
      var receipt = BatchReceipt(
        count: keys.count, updated: batch.terms.wantsKeys ? keys : nil)
      receipt.position = try note(records, batch.terms, schema, snapshot, &output)
      return receipt
    }
  }

  /// Deletes records, applies their delete rules, and writes the changes in portions.
  ///
  /// - Parameter batch: The records to delete.
  /// - Returns: nil when derived attributes may depend on the records.
  public func delete(_ batch: StoreBatchDelete) throws -> BatchReceipt? {
    let schema = try preparedSchema()
    if case .matching(let fetch) = batch.target, fetch.entities.isEmpty { return nil }
    // The records whose derived attributes depend on the deleted ones can be found only while these exist.
    guard try schema.schema.derivations().isEmpty, schema.history?.keepsValues != true else {
      return nil
    }
    return try carryOut(schema) { snapshot, output, flush in
      let source = SnapshotRecords(schema: schema, snapshot: snapshot)
      var deletion = PortionedDeletion(source, portion: Self.batchPortion)
      var first: [Int64] = []
      switch batch.target {
      case .keys(let keys): first = keys
      case .matching(var request):
        request.result = .keys
        guard case .keys(let keys) = try content(of: request, schema, snapshot) else {
          throw BatchImpossible()
        }
        first = keys
      }
      try deletion.follow(first)
      let removed = deletion.removed
      var records = BatchRecords()
      records.deleted = removed.map(\.key)
      var terms = batch.terms
      if schema.history != nil {
        terms.notes?.lastRows = try snapshot.rows(
          forKeys: schema.schema.keysKeptInHistory(records.deleted).sorted())
      }
      // Where everything is written at the end, a batch has each record once and in order.
      let portion = engine.writesPortions ? Self.batchPortion : max(1, removed.count)
      let ordered = removed.sorted { $0.key < $1.key }
      var changed: [Int64] = []
      var rest = StoreChangeSet()
      for start in stride(from: 0, to: ordered.count, by: portion) {
        try cancellation.check()
        rest.deleted = Array(ordered[start..<min(start + portion, ordered.count)])
        guard engine.writesPortions else { break }
        try write(rest, schema, snapshot, &output, flush)
        rest.deleted = []
      }
      try deletion.forEachCleared { updates in
        for update in updates {
          let key = update.row.key
          changed.append(key)
          records.add(key, slots: update.changedSlots, code: RecordKey.entityCode(of: key))
        }
        rest.updated += updates
        guard engine.writesPortions else { return }
        try write(rest, schema, snapshot, &output, flush)
        rest.updated = []
      }
      if !rest.isEmpty { try write(rest, schema, snapshot, &output, flush) }
      var receipt = BatchReceipt(count: removed.count)
      if batch.terms.wantsKeys { (receipt.updated, receipt.deleted) = (changed, records.deleted) }
      receipt.position = try note(records, terms, schema, snapshot, &output)
      return receipt
    }
  }

  // MARK: - Parts

  private func canCarryOut(_ fetch: ResolvedFetch, in schema: KeyValueSchema) throws -> Bool {
    try !fetch.entities.isEmpty && fetch.limit == nil && fetch.offset == 0
      && !schema.schema.derivations().concerns(fetch.entity)
      && schema.history?.keepsValues != true
  }

  private func content(
    of request: ResolvedFetch, _ schema: KeyValueSchema, _ snapshot: any KeyValueSnapshot
  ) throws -> StoreFetchResult.Content {
    let plan = try FetchPlanner(schema: schema, snapshot: snapshot, request: request).plan()
    description.log?.statement(plan.description.steps.joined(separator: ", "))
    return try FetchRunner(
      plan: plan, schema: schema, snapshot: snapshot, cancellation: cancellation
    ).content(into: nil)
  }

  private func carryOut(
    _ schema: KeyValueSchema,
    _ body: (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void)
      throws
      ->
      BatchReceipt
  ) throws -> BatchReceipt? {
    do {
      var receipt: BatchReceipt?
      try engine.writeInPortions(cancellation) { snapshot, batch, flush in
        try cancellation.check()
        try schema.check(snapshot)
        guard try SaveRecords.parts(in: snapshot).isEmpty else { throw BatchImpossible() }
        receipt = try body(snapshot, &batch) {
          try $0.checkSizes()
          try flush(&$0)
        }
        try batch.checkSizes()
        // Last chance to cancel: once the batch is with the engine, it is written.
        try cancellation.check()
      }
      return receipt
    } catch is BatchImpossible {
      return nil
    }
  }

  /// Adds the changes of a portion to the batch and flushes it.
  private func write(
    _ changes: StoreChangeSet, _ schema: KeyValueSchema, _ snapshot: any KeyValueSnapshot,
    _ output: inout WriteBatch, _ flush: @escaping (inout WriteBatch) throws -> Void
  ) throws {
    var writer = CommitWriter(changes, schema: schema, snapshot: snapshot)
    try writer.write()
    guard writer.conflicts.isEmpty else { throw BatchImpossible() }
    if output.isEmpty {
      output = writer.batch
    } else {
      output.append(writer.batch)
    }
    try flush(&output)
  }

  private func note(
    _ records: BatchRecords, _ terms: BatchTerms, _ schema: KeyValueSchema,
    _ snapshot: any KeyValueSnapshot, _ output: inout WriteBatch
  ) throws -> StorePosition? {
    try schema.history?.add(
      StoreChangeSet(records, terms), of: schema.schema, over: snapshot, to: &output)
  }
}

extension KeyValueSchema {
  /// Whether slots of entities belong to values that must be unique.
  fileprivate func hasUnique(_ slots: [RowSlot], _ entities: [EntityDescription]) -> Bool {
    let codes = entities.compactMap { schema.code(of: $0) }
    return indexes.contains { index in
      guard case .unique = index.purpose else { return false }
      return codes.contains { index.covers(code: $0) }
        && index.isTouched(by: slots.map(\.index))
    }
  }
}

extension WriteBatch {
  /// Appends another batch, whose records come after those of this one.
  fileprivate mutating func append(_ other: WriteBatch) {
    for (_, changes) in other.records { change(changes) }
    for (table, changes) in other.entries { addEntries(changes, of: table) }
  }
}
