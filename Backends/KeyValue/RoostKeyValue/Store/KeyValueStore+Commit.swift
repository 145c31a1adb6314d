// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension KeyValueStore {
  public func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    let schema = try preparedSchema()
    guard !changes.isEmpty else { return .committed(CommitReceipt()) }
    try requireWritable("cannot be saved to")
    var judged: CommitPlan?
    try engine.write(cancellation) { snapshot, batch in
      try cancellation.check()
      try schema.check(snapshot)
      let plan = try CommitPlan(
        changes, schema: schema, snapshot: snapshot, known: self.metadata, into: &batch)
      try batch.checkSizes()
      // The last moment: what is handed to the engine is written.
      try cancellation.check()
      if plan.conflicts.isEmpty { try requireNoOverlap(of: changes, schema, snapshot) }
      judged = plan
    }
    guard let plan = judged else { preconditionFailure("an engine calls the body") }
    guard plan.conflicts.isEmpty else { return .conflicted(plan.conflicts) }
    remember(metadataOf: changes)
    return .committed(plan.receipt)
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

  /// Returns the last number that the store has given to a record.
  public func lastSequence() throws -> Int64 {
    let schema = try preparedSchema()
    return try engine.reading { snapshot in
      try schema.check(snapshot)
      return try SequenceCounter.lastGiven(in: snapshot)
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
