// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

/// One store's way to an open file.
final class LMDBEngine: KeyValueEngine {
  /// The longest key that LMDB accepts in its default build.
  static let longestKey = 511

  let longestEntryKey = LMDBEngine.longestKey
  /// Each record names its format.
  let keepsFormats = true
  let keepsRemoved = true
  let environment: LMDBEnvironment
  let settings: LMDBSettings
  let storeName: String?
  private let state = SharedState(State())
  /// The queue of writers that wait for the current one.
  let writes = WriteQueue<WriteGroup.Body>()

  struct State {
    var formats: RecordFormats?
    var schema: StoreSchema?
    var isClosed = false
    /// The writers' memory for rows.
    var spare = SpareBatches()
  }

  /// Row batches that a writer leaves to the next one for reuse.
  struct SpareBatches: @unchecked Sendable {
    // Sendable: they are used only by the writer that has taken them out of the state.
    var batches: [RowBatch] = []
  }

  /// Opens a file, until ``close()``.
  init(_ location: LMDBLocation, _ settings: LMDBSettings) throws {
    self.settings = settings
    storeName = (location.path as NSString).lastPathComponent
    environment = try OpenEnvironments.shared.open(location, settings)
  }

  func adopt(_ schema: StoreSchema) throws {
    try translatingErrors(store: storeName) {
      let (reader, _) = try environment.takeReader(openState)
      defer { environment.giveBack(reader) }
      try MadeTables.check(reader, schema)
      state.withLock { state in
        state.schema = schema
        // The row batches have the layouts of the previous schema.
        state.spare = SpareBatches()
      }
      _ = try learnFormats(reader.blob(named: RecordFormats.blobName))
    }
  }

  /// Decodes the formats stored in a file, and adopts them.
  func learnFormats(_ bytes: [UInt8]?) throws -> RecordFormats? {
    guard let schema = state.withLock({ $0.schema }) else { return nil }
    let formats = try RecordFormats(bytes, schema: schema)
    state.withLock { $0.formats = formats }
    return formats
  }

  func read(_ body: (any KeyValueSnapshot) throws -> Void) throws {
    try translatingErrors(store: storeName) {
      let (reader, state) = try environment.takeReader(openState)
      defer { environment.giveBack(reader) }
      reader.use(state.formats, by: self)
      try body(reader)
      try environment.checkUnlocked()
    }
  }

  func writeCount() throws -> UInt64 {
    try translatingErrors(store: storeName) {
      try environment.lastTransaction { _ = try openState() }
    }
  }

  func makeDurable() throws {
    try translatingErrors(store: storeName) {
      // A reader keeps the environment from being closed, or opened again, during the flush.
      let (reader, _) = try environment.takeReader(openState)
      defer { environment.giveBack(reader) }
      try environment.makeReadDataDurable()
    }
  }

  /// LMDB writes the meta page last, and updates the lock file for readers shortly after that.
  var changeHints: (any StoreChangeHints)? {
    FileHints(of: environment.location.path, suffixes: [""], openable: [""], hint: .beingWritten)
  }

  /// A long-lived reader would keep the file from growing, so snapshots are not held.
  var canFreeze: Bool { false }

  func frozen() throws -> any KeyValueEngine {
    throw PersistenceError(
      .persistentStoreUnsupportedRequestType, "A store in LMDB holds no snapshots.",
      store: storeName)
  }

  func close() {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed
    }
    guard !wasClosed else { return }
    if environment.isOfThisProcess {
      // Waits for running requests; later ones find the store closed.
      environment.writerLock.lock()
      environment.gate.waitUntilEmpty()
      environment.writerLock.unlock()
    }
    OpenEnvironments.shared.release(environment)
  }

  deinit {
    close()
  }

  /// Remembers how records are written, once that is in the file.
  func keep(_ formats: RecordFormats?) {
    state.withLock { $0.formats = formats }
  }

  func openState() throws -> State {
    let state = state.withLock { $0 }
    guard !state.isClosed else {
      throw PersistenceError(.storeRemoved, "The store was removed from its coordinator.")
    }
    return state
  }
}

// MARK: - Writing

extension LMDBEngine {
  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    try translatingErrors(store: storeName) {
      try environment.checkProcess()
      if settings.isReadOnly { return try checkOnly(body) }
      if writes.beginLeading() { return try lead(body, cancellation) }
      // The leader releases the body before it wakes this thread.
      try withoutActuallyEscaping(body) { body in
        if try writes.wait(body, until: Deadline(after: settings.timeout), cancellation) {
          try lead(body, cancellation)
        }
      }
    }
  }

  /// Leads a group commit: writes this batch, and those of the writers that are queued when the transaction has
  /// begun.
  private func lead(
    _ body: WriteGroup.Body, _ cancellation: RequestCancellation?
  ) throws {
    try withoutActuallyEscaping(body) { body in
      let group = WriteGroup(body, writes)
      defer { group.letGo() }
      do {
        try asOnlyWriter(cancellation) { try writeTogether(group) }
      } catch {
        writes.end(after: group.isWhole ? nil : error)
        throw error
      }
      writes.end()
    }
  }

  /// Runs `body` while no other thread and no other process writes.
  ///
  /// - Throws: `storeBusy` when others still write at the timeout.
  func asOnlyWriter<Result>(
    _ cancellation: RequestCancellation?, _ body: () throws -> Result
  ) throws -> Result {
    let deadline = Deadline(after: settings.timeout)
    guard try environment.writerLock.lock(until: deadline, cancellation) else {
      throw PersistenceError(.storeBusy, "Another thread wrote until the time was over.")
    }
    defer { environment.writerLock.unlock() }
    // Closing waits for the writer: the store is open to the end of this.
    _ = try openState()
    return try environment.withProcessLock(timeout: settings.timeout, cancellation) {
      environment.gate.enter()
      defer { environment.gate.leave() }
      return try body()
    }
  }

  /// Writes the batches of a group, and gives each member its result.
  private func writeTogether(_ group: WriteGroup) throws {
    do {
      try writeGrowing(group)
    } catch  where group.count > 1 && !group.isCommitting {
      // LMDB refused, as when there is no room for all: each by itself, so that none fails for another one's sake.
      for index in 0..<group.count {
        group.end(index, Result { try writeGrowing(group.alone(index)) })
      }
    } catch {
      group.endAll(with: error)
    }
    try group.finish()
  }

  /// Writes, again and again while the file has to grow for it.
  private func writeGrowing(_ group: WriteGroup) throws {
    while true {
      do {
        return try writeOnce(group)
      } catch let error as LMDBError where error.code == MDB_MAP_FULL {
        group.isCommitting = false
        try environment.grow(timeout: settings.timeout)
      } catch let failure as InterruptedCommit {
        return try settle(failure)
      }
    }
  }

  private func writeOnce(_ group: WriteGroup) throws {
    let formats = try openState().formats
    let size = try environment.checkFile()
    try environment.write { transaction, tables in
      var isOver = false
      defer { if !isOver { mdb_txn_abort(transaction) } }
      group.gather()
      var known = formats
      var isChanged = false
      var isReliedOn = false
      var isWritten = false
      // Formats that one member of the group has learned from another are not in the file unless the transaction
      // commits.
      defer { if !isWritten, group.count > 1 { state.withLock { $0.formats = formats } } }
      for index in 0..<group.count {
        guard
          let batch = try group.run(
            index,
            { body in
              let spare = state.withLock { state in
                defer { state.spare = SpareBatches() }
                return state.spare
              }
              let snapshot = LMDBSnapshot(
                transaction, isReadOnly: false, batches: spare.batches)
              var batch = WriteBatch()
              defer {
                snapshot.closeCursors()
                let spare = SpareBatches(batches: snapshot.batches)
                state.withLock { $0.spare = spare }
              }
              _ = try snapshot.begin(tables.directory)
              snapshot.use(known, by: self)
              try body(snapshot, &batch)
              return batch
            }), !batch.isEmpty
        else { continue }
        if !isChanged { environment.makeRoom(behind: size) }
        isChanged = true
        isReliedOn = isReliedOn || batch.isReliedOn
        let writer = BatchWriter(transaction: transaction, tables: tables)
        if let written = try writer.write(batch, known, reloading: learnFormats) { known = written }
      }
      guard isChanged else { return }
      if tables.hasNew { try MadeTables.add(tables.directory, transaction) }
      isOver = true
      group.isCommitting = true
      try commit(transaction)
      isWritten = true
      tables.didCommit()
      if let known, known !== formats { state.withLock { $0.formats = known } }
      if isReliedOn { try environment.synchronize() }
    }
  }

  /// Runs the body of a write on a read-only store: it may read, but its batch must stay empty.
  private func checkOnly(
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    let (reader, state) = try environment.takeReader(openState)
    defer { environment.giveBack(reader) }
    reader.use(state.formats, by: self)
    var batch = WriteBatch()
    try body(reader, &batch)
    guard batch.isEmpty else {
      throw PersistenceError(.readOnlyStore, "The store is read-only.")
    }
  }

  func commit(_ transaction: OpaquePointer) throws {
    let number = mdb_txn_id(transaction)
    let code = mdb_txn_commit(transaction)
    guard code != MDB_SUCCESS else { return }
    let error = LMDBError(code: code, operation: "commit")
    // LMDB's own codes are negative, and come before anything is valid; the system's can come from any write.
    guard code > 0 else { throw error }
    // As long as the environment is usable, LMDB has not written the meta page: nothing was committed.
    guard environment.isUsable else { throw InterruptedCommit(number: number, cause: error) }
    // LMDB also reports a short write on a full disk as an I/O error.
    throw code == EIO && environment.isOutOfRoom
      ? LMDBError(code: ENOSPC, operation: "commit") : error
  }

  /// Determines the outcome of a commit after which the environment became unusable: the file is reopened, and the
  /// state that it shows is made durable. Other writers are excluded meanwhile.
  func settle(_ failure: InterruptedCommit) throws {
    let wasCommitted = environment.outcome(ofTransaction: failure.number)
    // Where the file lock does not exclude other processes, a transaction of theirs may have the same ID.
    let isCertain = environment.lockDescriptor >= 0 || wasCommitted == false
    guard let wasCommitted, isCertain else {
      throw PersistenceError(
        .commitOutcomeUnknown,
        "Writing failed while the commit was made durable; reading the store again shows how it ended.",
        underlying: failure.cause)
    }
    if !wasCommitted { throw failure.cause }
  }
}

/// A commit that failed after it may have become valid.
struct InterruptedCommit: Error {
  /// The number of the transaction.
  let number: Int
  let cause: LMDBError
}
