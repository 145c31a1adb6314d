// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Converts a change set to a write batch. First all changes are checked against the stored rows; only a change set
/// without conflicts is written.
struct CommitWriter {
  private let schema: KeyValueSchema
  private let snapshot: any KeyValueSnapshot
  private let changes: StoreChangeSet
  /// The batch to write when there are no conflicts.
  var batch = WriteBatch()
  private(set) var conflicts: [StoreConflict] = []
  private var records: [RecordChange] = []
  /// The deleted rows, with the slots that the indexes use.
  private var deletedRows: [Row] = []
  /// The old versions of the updated rows, with the slots that the indexes use; one for each update that touches an
  /// index.
  private var replacedRows: [Row] = []
  /// The first entity code that is written, and the others: most saves write one entity.
  private var writtenCode: Int?
  private var otherCodes: [Int] = []

  init(_ changes: StoreChangeSet, schema: KeyValueSchema, snapshot: any KeyValueSnapshot) {
    self.changes = changes
    self.schema = schema
    self.snapshot = snapshot
  }

  /// Writes the change set to the batch, or fills ``conflicts``.
  mutating func write() throws {
    records.reserveCapacity(
      changes.inserted.count + changes.updated.count + changes.deleted.count
        + changes.locked.count)
    try checkDeleted()
    try checkUpdated()
    try checkLocked()
    try checkInserted()
    guard conflicts.isEmpty else { return }
    batch.reserveTables(schema.indexes.count)
    // Not by a method of this struct, which would copy it for each index.
    let (code, others) = (writtenCode, otherCodes)
    for index in schema.indexes {
      guard index.entityCodes.contains(where: { $0 == code || others.contains($0) }) else {
        continue
      }
      try writeEntries(of: index)
    }
    guard conflicts.isEmpty else { return }
    if !changes.links.isEmpty || !changes.deleted.isEmpty && !schema.links.isEmpty {
      var links = LinkWriter(schema: schema, snapshot: snapshot, batch: batch)
      try links.removeLinks(of: changes.deleted)
      try links.write(changes.links)
      batch = links.batch
    }
    batch.change(records)
  }
}

// MARK: - Records

extension CommitWriter {
  private mutating func checkDeleted() throws {
    guard !changes.deleted.isEmpty else { return }
    deletedRows.reserveCapacity(changes.deleted.count)
    let need = RowNeed(kept: slots { _ in true }, judgesVersions: true)
    let deleted = changes.deleted
    try forEachCurrent(deleted.count, need, key: { deleted[$0].key }) {
      writer, position, chunk, index in
      let expected = writer.changes.deleted[position]
      guard try writer.expect(expected, index, of: chunk), let row = try chunk[index] else {
        return
      }
      writer.records.append(RecordChange(key: expected.key, row: nil))
      writer.deletedRows.append(row)
    }
  }

  private mutating func checkUpdated() throws {
    guard !changes.updated.isEmpty else { return }
    var changed: Set<Int> = []
    var last: [Int] = []
    for update in changes.updated where update.changedSlots != last {
      last = update.changedSlots
      changed.formUnion(last)
    }
    let touched = slots { $0.isTouched(by: changed) }
    let need = RowNeed(kept: touched, judgesVersions: true)
    if touched != .none { replacedRows.reserveCapacity(changes.updated.count) }
    let updates = changes.updated
    try forEachCurrent(updates.count, need, key: { updates[$0].row.key }) {
      writer, position, chunk, index in
      let updated = writer.changes.updated[position].row
      let expected = RowVersion(
        key: updated.key, version: writer.changes.updated[position].baseVersion)
      guard try writer.expect(expected, index, of: chunk) else { return }
      writer.records.append(writer.schema.change(to: updated))
      if touched != .none, let row = try chunk[index] { writer.replacedRows.append(row) }
    }
  }

  private mutating func checkLocked() throws {
    guard !changes.locked.isEmpty else { return }
    let need = RowNeed(judgesVersions: true)
    let locked = changes.locked
    try forEachCurrent(locked.count, need, key: { locked[$0].key }) {
      writer, position, chunk, index in
      let expected = writer.changes.locked[position]
      guard try writer.expect(expected, index, of: chunk), let current = try chunk[index] else {
        return
      }
      let row = current.copy(version: current.version &+ 1)
      writer.records.append(RecordChange(key: row.key, row: row))
    }
  }

  private mutating func checkInserted() throws {
    let inserted = changes.inserted
    try forEachCurrent(inserted.count, .keptRows, key: { inserted[$0].key }) {
      writer, position, chunk, index in
      let row = writer.changes.inserted[position]
      if let current = try chunk[index] {
        // The key of an insertion exists already: the stored record is reported.
        writer.conflicts.append(.version(key: row.key, expected: 0, current: current))
      } else {
        writer.records.append(writer.schema.change(to: row))
      }
    }
  }

  /// The slots that decide about the entries of some indexes: all that is read of stored rows.
  private func slots(of isWanted: (IndexDefinition) -> Bool) -> RowSlots {
    schema.indexes.filter(isWanted).reduce(.none) { $0.union($1.need.judged) }
  }

  /// Calls `body` with the stored row of each key: with a chunk and the row's index there.
  ///
  /// The keys are in temporary memory: for a save of one record, an array of them would cost more than reading it.
  private mutating func forEachCurrent(
    _ count: Int, _ need: RowNeed, key: (Int) -> Int64,
    _ body: (inout CommitWriter, Int, RowChunk, Int) throws -> Void
  ) throws {
    guard count > 0 else { return }
    try withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { keys in
      for position in 0..<count { keys.initializeElement(at: position, to: key(position)) }
      try noteCodes(of: UnsafeBufferPointer(keys))
      let snapshot = snapshot
      try snapshot.withRows(forKeys: UnsafeBufferPointer(keys), need: need) { chunk, first in
        for index in 0..<chunk.count { try body(&self, first + index, chunk, index) }
        return true
      }
    }
  }

  /// Notes the entity codes of keys as written.
  ///
  /// - Throws: `unknownEntity` for a key of an entity that the store does not hold.
  private mutating func noteCodes(of keys: UnsafeBufferPointer<Int64>) throws {
    var previousCode = 0
    for key in keys {
      let code = RecordKey.entityCode(of: key)
      if code == previousCode { continue }
      guard schema.schema.layout(ofKey: key) != nil else { throw unknownKey(key) }
      previousCode = code
      if writes(code) { continue }
      if writtenCode == nil { writtenCode = code } else { otherCodes.append(code) }
    }
  }

  /// Whether records of an entity code are written.
  private func writes(_ code: Int) -> Bool {
    code == writtenCode || otherCodes.contains(code)
  }

  private func unknownKey(_ key: Int64) -> PersistenceError {
    PersistenceError(
      .unknownEntity, "The key \(key) names no entity that the store holds.",
      store: schema.schema.identity.identifier)
  }

  /// Whether the stored row has the version that was read; else the conflict is noted, with all of the row (B177).
  private mutating func expect(
    _ expected: RowVersion, _ index: Int, of chunk: RowChunk
  ) throws -> Bool {
    if chunk.withRow(index, { $0.version == expected.version }) ?? false { return true }
    conflicts.append(
      .version(
        key: expected.key, expected: expected.version,
        current: try snapshot.row(forKey: expected.key)))
    return false
  }
}

extension KeyValueSchema {
  /// Returns the row as stored, without transient values (B313).
  fileprivate func change(to row: Row) -> RecordChange {
    let transientSlots = transientSlotsByCode[RecordKey.entityCode(of: row.key)]
    guard !transientSlots.isEmpty, transientSlots.contains(where: { !row.isNull($0) }) else {
      return RecordChange(key: row.key, row: row)
    }
    let stored = row.copy()
    for slot in transientSlots { stored.setNull(slot) }
    return RecordChange(key: row.key, row: stored)
  }
}

// MARK: - Entries

extension CommitWriter {
  private mutating func writeEntries(of index: IndexDefinition) throws {
    var entries = EntryBatch()
    if changes.inserted.count > 64 {
      entries.reserveCapacity(changes.inserted.count, bytesEach: 24)
    }
    for row in deletedRows where index.covers(row.key) { index.remove(row, from: &entries) }
    for (update, replaced) in zip(changes.updated, replacedRows)
    where index.covers(replaced.key) && index.isTouched(by: update.changedSlots) {
      if index.purpose == .words {
        index.replaceWords(of: replaced, by: update.row, in: &entries)
      } else {
        index.remove(replaced, from: &entries)
        index.put(update.row, to: &entries)
      }
    }
    for row in changes.inserted where index.covers(row.key) { index.put(row, to: &entries) }
    guard !entries.isEmpty else { return }
    entries.order()
    if case .unique(let constraint) = index.purpose {
      var check = try UniquenessCheck(index: index, constraint: constraint, snapshot: snapshot)
      conflicts += try check.conflicts(in: entries) { key in
        records.first { $0.key == key }?.row
      }
    }
    batch.changeEntries(of: index.table) { $0 = entries }
  }
}

extension IndexDefinition {
  /// Whether a change of slots changes the entry of a row.
  func isTouched(by changedSlots: some Collection<Int>) -> Bool {
    components.contains { changedSlots.contains($0.slot.index) }
      || conditions.contains { changedSlots.contains($0.slot.index) }
  }
}
