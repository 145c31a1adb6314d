// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// Deferred steps of a migration, for an engine that keeps removed data. Every portion is one transaction, which also
// records the progress. The catalog stays the same, so that other processes that have the store open can continue.
extension KeyValueStore {
  /// The number of records that are removed in one transaction.
  private static let portion = 10_000

  /// Runs one portion of a deferred migration step.
  public func finishDeferredStep(isEvolving: Bool) throws -> Bool {
    guard metadata.hasDeferredMigration else { return false }
    try checkOpen()
    try requireWritable("has something left of a migration")
    let schema = isEvolving ? nil : try preparedSchema()
    var built: IndexDefinition?
    let metadata = try engine.writing(cancellation) { snapshot, batch -> StoreMetadata? in
      built = nil
      try cancellation.check()
      try schema?.check(snapshot)
      // Another process may have done all or part of it.
      guard var metadata = try KeyValueStore.metadata(in: snapshot),
        let step = metadata.nextDeferredStep(isEvolving: isEvolving)
      else { return try KeyValueStore.metadata(in: snapshot) }
      var portion = DeferredPortion(step: step, limit: Self.portion)
      try portion.write(metadata, schema?.indexes, over: snapshot, to: &batch)
      metadata.replaceDeferredStep(step, by: portion.rest)
      if portion.rest == nil { built = portion.index }
      try KeyValueStore.write(metadata, to: &batch)
      return metadata
    }
    guard let metadata else { return false }
    remember(
      metadata: metadata, schema: built.flatMap { index in schema?.building(index) })
    return metadata.nextDeferredStep(isEvolving: isEvolving) != nil
  }

  /// Makes the entries of the next records of an index whose store was just migrated, and is not prepared yet.
  ///
  /// - Returns: The number of records; 0 when the index is complete, or another process goes on with the store.
  func fillPortion(of index: IndexDefinition, limit: Int) throws -> Int {
    let known = metadata
    let written = try engine.writing(cancellation) { snapshot, batch -> (StoreMetadata, Int)? in
      try cancellation.check()
      guard var metadata = try KeyValueStore.metadata(in: snapshot), metadata.epoch == known.epoch,
        let step = (metadata.deferredSteps ?? []).first(where: {
          $0.kind == .index && $0.place == index.signature
        })
      else { return nil }
      // A model without the index may have removed its table, and one with it have begun another.
      let catalog = try IndexCatalog(try snapshot.blob(named: IndexCatalog.blobName) ?? [])
      guard catalog.tables[index.signature] == index.table else { return nil }
      var portion = DeferredPortion(step: step, limit: limit)
      try portion.write(metadata, [index], over: snapshot, to: &batch)
      metadata.replaceDeferredStep(step, by: portion.rest)
      try KeyValueStore.write(metadata, to: &batch)
      return (metadata, portion.rows)
    }
    guard let (metadata, rows) = written else { return 0 }
    remember(metadata: metadata)
    return rows
  }
}

/// The number of records of the next transaction that fills an index, by how long the one before took.
struct EntryPortionSize {
  private(set) var records: Int
  private let seconds: Double

  /// The share of the bound that a transaction aims at: records are not equally large.
  private static let share = 0.5
  private static let largest = 200_000

  init(_ bounds: EvolutionBatches) {
    seconds = bounds.seconds
    records = max(1, bounds.records)
  }

  /// Notes how long a transaction took.
  mutating func adapt(seconds passed: Double) {
    let factor = min(2, max(0.1, Self.share * seconds / max(passed, 1e-6)))
    records = min(max(1, Int(Double(records) * factor)), Self.largest)
  }
}

/// A part of a deferred step that fits into one transaction.
private struct DeferredPortion {
  let step: DeferredStep
  let limit: Int
  /// The remainder of the step; nil when it is done.
  private(set) var rest: DeferredStep?
  /// The index that got entries.
  private(set) var index: IndexDefinition?
  /// The number of records that got entries.
  private(set) var rows = 0

  init(step: DeferredStep, limit: Int) {
    self.step = step
    self.limit = limit
  }

  mutating func write(
    _ metadata: StoreMetadata, _ indexes: [IndexDefinition]?, over snapshot: any KeyValueSnapshot,
    to batch: inout WriteBatch
  ) throws {
    switch step.kind {
    case .column: throw Self.damaged
    case .table:
      let catalog = try IndexCatalog(try snapshot.blob(named: IndexCatalog.blobName) ?? [])
      guard let number = Int(step.place), number >= 1, number < catalog.nextNumber,
        !catalog.tables.values.contains(EntryTable(number: number))
      else { throw Self.damaged }
      batch.empty(EntryTable(number: number))
    case .records:
      let inhabited = metadata.entityVersionHashes.keys.compactMap { metadata.entityCodes[$0] }
      guard let code = Int(step.place), (1...RecordKey.largestEntityCode).contains(code),
        !inhabited.contains(code)
      else { throw Self.damaged }
      let keys = try snapshot.recordKeys(ofEntityCode: code, above: .min, limit: limit)
      batch.change(keys.map { RecordChange(key: $0, row: nil) })
      if keys.count == limit { rest = step }
    case .index:
      // An index that the model does not have any more needs no entries.
      guard let index = indexes?.first(where: { $0.signature == step.place }) else { return }
      self.index = index
      try fill(index, over: snapshot, to: &batch)
    }
  }

  /// Makes the entries of the next records. Those of records that were written since are there already, and the same.
  private mutating func fill(
    _ index: IndexDefinition, over snapshot: any KeyValueSnapshot, to batch: inout WriteBatch
  ) throws {
    let last = step.position ?? .min
    let lastCode = step.position.map { RecordKey.entityCode(of: $0) } ?? 0
    for code in index.entityCodes.sorted() where code >= lastCode {
      let keys = try snapshot.recordKeys(
        ofEntityCode: code, above: code == lastCode ? last : .min,
        limit: min(limit, index.portion))
      guard let end = keys.last else { continue }
      var entries = EntryBatch()
      try keys.withUnsafeBufferPointer { keys in
        try snapshot.withRows(forKeys: keys, need: index.need) { chunk, _ in
          for position in 0..<chunk.count {
            _ = chunk.withRow(position) { index.put($0, to: &entries) }
          }
          return true
        }
      }
      entries.order()
      batch.changeEntries(of: index.table) { $0 = entries }
      rows = keys.count
      rest = step
      rest?.position = end
      return
    }
  }

  private static var damaged: PersistenceError {
    PersistenceError(
      .corruptStore,
      "The store's list of deferred migration steps contradicts its content.")
  }
}

extension StoreMetadata {
  fileprivate mutating func replaceDeferredStep(_ step: DeferredStep, by rest: DeferredStep?) {
    setDeferredSteps(
      (deferredSteps ?? []).compactMap { known in known == step ? rest : known })
  }
}
