// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Turns a change set into what a transaction writes: first everything is compared with what is stored, and only a
/// change set without any conflict is written.
struct CommitWriter {
  let schema: KeyValueSchema
  let snapshot: any KeyValueSnapshot
  var batch = WriteBatch()
  private(set) var conflicts: [StoreConflict] = []
  private var records: [RecordChange] = []
  /// The changes of indexes, by position.
  private var entries: [EntryBatch]

  init(schema: KeyValueSchema, snapshot: any KeyValueSnapshot) {
    self.schema = schema
    self.snapshot = snapshot
    entries = schema.indexes.map { _ in EntryBatch() }
  }

  /// Writes a change set to the batch, or fills ``conflicts``.
  mutating func write(_ changes: StoreChangeSet) throws {
    records.reserveCapacity(
      changes.inserted.count + changes.updated.count + changes.deleted.count
        + changes.locked.count)
    try writeDeleted(changes.deleted)
    try writeUpdated(changes.updated)
    try writeLocked(changes.locked)
    try writeInserted(changes.inserted)
    guard conflicts.isEmpty else { return }
    for position in entries.indices where !entries[position].isEmpty {
      entries[position].order()
      let index = schema.indexes[position]
      if case .unique(let constraint) = index.purpose {
        var check = try UniquenessCheck(
          index: index, constraint: constraint, snapshot: snapshot)
        conflicts += try check.conflicts(in: entries[position]) { key in
          records.first { $0.key == key }?.row
        }
      }
    }
    guard conflicts.isEmpty else { return }
    try LinkWriter.write(changes.links, schema: schema, snapshot: snapshot, to: &batch)
    for position in entries.indices where !entries[position].isEmpty {
      batch.changeEntries(of: schema.indexes[position].table) { $0 = entries[position] }
    }
    batch.change(records)
  }
}

// MARK: - Records

extension CommitWriter {
  private mutating func writeDeleted(_ deleted: [RowVersion]) throws {
    try forEachCurrent(deleted.map(\.key)) { writer, position, current in
      guard let current = writer.expect(deleted[position], current: current) else { return }
      writer.records.append(RecordChange(key: current.key, row: nil))
      for index in writer.schema.indexes(forEntityCode: RecordKey.entityCode(of: current.key)) {
        writer.schema.indexes[index].remove(current, from: &writer.entries[index])
      }
    }
  }

  private mutating func writeUpdated(_ updated: [RowUpdate]) throws {
    try forEachCurrent(updated.map(\.row.key)) { writer, position, current in
      let update = updated[position]
      let version = RowVersion(key: update.row.key, version: update.baseVersion)
      guard let current = writer.expect(version, current: current) else { return }
      writer.records.append(writer.change(to: update.row))
      let code = RecordKey.entityCode(of: update.row.key)
      for index in writer.schema.indexes(forEntityCode: code)
      where writer.schema.indexes[index].isTouched(by: update.changedSlots) {
        writer.schema.indexes[index].remove(current, from: &writer.entries[index])
        writer.schema.indexes[index].put(update.row, to: &writer.entries[index])
      }
    }
  }

  private mutating func writeLocked(_ locked: [RowVersion]) throws {
    try forEachCurrent(locked.map(\.key)) { writer, position, current in
      guard let current = writer.expect(locked[position], current: current) else { return }
      let row = current.copy(version: current.version + 1)
      writer.records.append(RecordChange(key: row.key, row: row))
    }
  }

  private mutating func writeInserted(_ inserted: [Row]) throws {
    for position in entries.indices { entries[position].reserveRoom(for: inserted.count) }
    try forEachCurrent(inserted.map(\.key)) { writer, position, current in
      let row = inserted[position]
      if let current {
        // A key that is given twice: the record of the other one is reported as it is.
        writer.conflicts.append(.version(key: row.key, expected: 0, current: current))
        return
      }
      writer.records.append(writer.change(to: row))
      for index in writer.schema.indexes(forEntityCode: RecordKey.entityCode(of: row.key)) {
        writer.schema.indexes[index].put(row, to: &writer.entries[index])
      }
    }
  }

  /// The row as it is stored: itself, but for values that are kept in memory only.
  private func change(to row: Row) -> RecordChange {
    let transientSlots = schema.transientSlotsByCode[RecordKey.entityCode(of: row.key)]
    guard transientSlots.contains(where: { !row.isNull($0) }) else {
      return RecordChange(key: row.key, row: row)
    }
    let stored = row.copy()
    for slot in transientSlots { stored.setNull(slot) }
    return RecordChange(key: row.key, row: stored)
  }

  /// Calls `body` with the stored row of each key.
  private mutating func forEachCurrent(
    _ keys: [Int64], _ body: (inout CommitWriter, Int, Row?) throws -> Void
  ) throws {
    guard !keys.isEmpty else { return }
    for key in keys where schema.schema.layout(ofKey: key) == nil {
      throw PersistenceError(
        .unknownEntity, "The key \(key) names no entity that the store holds.",
        store: schema.schema.identity.identifier)
    }
    let snapshot = snapshot
    try keys.withUnsafeBufferPointer { keys in
      try snapshot.withRows(forKeys: keys) { chunk in
        for position in keys.indices { try body(&self, position, chunk[position]) }
      }
    }
  }

  /// The stored row when it has the version that was read; else the conflict is noted (B177).
  private mutating func expect(_ expected: RowVersion, current: Row?) -> Row? {
    if let current, current.version == expected.version { return current }
    conflicts.append(
      .version(key: expected.key, expected: expected.version, current: current))
    return nil
  }
}

extension IndexDefinition {
  /// Whether a change of slots changes the entry of a row.
  fileprivate func isTouched(by changedSlots: [Int]) -> Bool {
    components.contains { changedSlots.contains($0.slot.index) }
  }
}

extension EntryBatch {
  fileprivate mutating func reserveRoom(for count: Int) {
    if count > 64 { reserveCapacity(count, bytesEach: 24) }
  }
}
