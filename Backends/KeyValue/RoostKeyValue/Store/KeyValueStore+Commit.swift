// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension KeyValueStore {
  public func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    let schema = try preparedSchema()
    guard !changes.isEmpty else { return .committed(CommitReceipt()) }
    try requireWritable("cannot be saved to")
    var receipt = CommitReceipt()
    let conflicts = try engine.writing(cancellation) { snapshot, batch in
      try cancellation.check()
      try schema.check(snapshot)
      let derived = try changes.deriving(
        schema.schema.derivations(), from: SnapshotRecords(schema: schema, snapshot: snapshot))
      receipt = CommitReceipt(recomputed: derived.recomputed)
      var writer = CommitWriter(derived.changes, schema: schema, snapshot: snapshot)
      try writer.write()
      // The last moment: what is handed to the engine is written.
      try cancellation.check()
      guard writer.conflicts.isEmpty else { return writer.conflicts }
      if let metadata = changes.metadata {
        try KeyValueStore.write(metadata, to: &writer.batch)
      }
      if let history = schema.history {
        let changes =
          history.keepsValues
          ? try derived.changes.notingPrevious(
            of: schema.schema, from: SnapshotRecords(schema: schema, snapshot: snapshot))
          : derived.changes
        receipt.position = try history.add(
          changes, of: schema.schema, over: snapshot, to: &writer.batch)
      }
      batch = writer.batch
      return []
    }
    guard conflicts.isEmpty else { return .conflicted(conflicts) }
    if let metadata = changes.metadata { remember(metadata: metadata) }
    return .committed(receipt)
  }

  public func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    let schema = try preparedSchema()
    try requireWritable("gives no keys")
    precondition(count > 0, "at least one number is reserved")
    return try engine.writing(cancellation) { snapshot, batch in
      try cancellation.check()
      try schema.check(snapshot)
      let last = try SequenceCounter.lastGiven(in: snapshot)
      let (next, isTooLarge) = last.addingReportingOverflow(Int64(count))
      guard !isTooLarge, next <= SequenceCounter.largest else {
        throw PersistenceError(
          .limitExceeded, "The store has given all of its keys.", store: identity.identifier)
      }
      batch.setBlob(SequenceCounter.bytes(next), named: SequenceCounter.blobName)
      return last + 1...next
    }
  }
}

/// The last sequence number that a store has given.
enum SequenceCounter {
  static let blobName = "sequence"
  /// The largest sequence number that a record's key has room for.
  static let largest = Int64.max >> RecordKey.entityBits

  static func lastGiven(in snapshot: any KeyValueSnapshot) throws -> Int64 {
    guard let bytes = try snapshot.blob(named: blobName) else { return 0 }
    guard bytes.count == 8 else {
      throw PersistenceError(.corruptStore, "The counter of the store's keys is damaged.")
    }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  static func bytes(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
