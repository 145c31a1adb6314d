// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

/// One store's way to an open file.
final class LMDBEngine: KeyValueEngine {
  /// The longest key that LMDB takes as it is built everywhere.
  static let longestKey = 511

  let longestEntryKey = LMDBEngine.longestKey
  let environment: LMDBEnvironment
  private let settings: LMDBSettings
  private let storeName: String?
  private let state = SharedState(State())

  private struct State {
    var formats: RecordFormats?
    var schema: StoreSchema?
    var isClosed = false
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
      state.withLock { $0.schema = schema }
      _ = try learnFormats(reader.blob(named: RecordFormats.blobName))
    }
  }

  /// Takes over what a file says of its formats.
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

  /// A reader that stays would keep the file from growing, so moments are not held.
  var canFreeze: Bool { false }

  func frozen() throws -> any KeyValueEngine {
    throw PersistenceError(
      .persistentStoreUnsupportedRequestType, "A store in LMDB holds no moments.", store: storeName)
  }

  func close() {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed
    }
    guard !wasClosed else { return }
    if environment.isOfThisProcess {
      // Requests under way are let finish; those that come later find the store closed.
      environment.writerLock.lock()
      environment.gate.waitUntilEmpty()
      environment.writerLock.unlock()
    }
    OpenEnvironments.shared.release(environment)
  }

  deinit {
    close()
  }

  private func openState() throws -> State {
    let state = state.withLock { $0 }
    guard !state.isClosed else {
      throw PersistenceError(.storeRemoved, "The store was removed from its coordinator.")
    }
    return state
  }
}

// MARK: - Writing

extension LMDBEngine {
  func write(_ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void) throws {
    try translatingErrors(store: storeName) {
      try environment.checkProcess()
      if settings.isReadOnly { return try checkOnly(body) }
      guard environment.writerLock.lock(until: Deadline(after: settings.timeout)) else {
        throw PersistenceError(.storeBusy, "Another thread wrote until the time was over.")
      }
      defer { environment.writerLock.unlock() }
      // Whoever closes the store waits for the writer: it is open to the end of this.
      _ = try openState()
      try environment.withProcessLock(timeout: settings.timeout) { try writeGrowing(body) }
    }
  }

  /// Writes, again and again while the file has to grow for it.
  private func writeGrowing(
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    environment.gate.enter()
    defer { environment.gate.leave() }
    while true {
      do {
        return try writeOnce(body)
      } catch let error as LMDBError where error.code == MDB_MAP_FULL {
        try environment.grow(timeout: settings.timeout)
      } catch let failure as InterruptedCommit {
        return try settle(failure)
      }
    }
  }

  private func writeOnce(
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    let formats = try openState().formats
    let size = try environment.checkFile()
    try environment.write { transaction, tables in
      var isOver = false
      defer { if !isOver { mdb_txn_abort(transaction) } }
      let snapshot = LMDBSnapshot(transaction, isReadOnly: false)
      var batch = WriteBatch()
      do {
        defer { snapshot.closeCursors() }
        _ = try snapshot.begin(tables.directory)
        snapshot.use(formats, by: self)
        try body(snapshot, &batch)
      }
      guard !batch.isEmpty else { return }
      environment.makeRoom(behind: size)
      let writer = BatchWriter(transaction: transaction, tables: tables)
      let written = try writer.write(batch, formats, reloading: learnFormats)
      if tables.hasNew { try MadeTables.add(tables.directory, transaction) }
      isOver = true
      try commit(transaction)
      tables.didCommit()
      if let written, written !== formats { state.withLock { $0.formats = written } }
    }
  }

  /// What a store does that is read-only: it looks, and writes nothing.
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

  private func commit(_ transaction: OpaquePointer) throws {
    let number = mdb_txn_id(transaction)
    let code = mdb_txn_commit(transaction)
    guard code != MDB_SUCCESS else { return }
    let error = LMDBError(code: code, operation: "commit")
    // LMDB's own codes are negative, and come before anything is valid; the system's can come from any write.
    guard code > 0 else { throw error }
    // As long as LMDB goes on, the page that makes a commit valid was not written: there is nothing of it.
    guard environment.isUsable else { throw InterruptedCommit(number: number, cause: error) }
    // What it calls an error of the device is also a disk that took only a part.
    throw code == EIO && environment.isOutOfRoom
      ? LMDBError(code: ENOSPC, operation: "commit") : error
  }

  /// Finds out how a commit ended after which LMDB refused to go on: the file is opened again, and what it shows is
  /// made durable. Nobody else writes meanwhile.
  private func settle(_ failure: InterruptedCommit) throws {
    let wasCommitted = environment.outcome(ofTransaction: failure.number)
    // Where other processes are not kept away, a transaction of theirs may have this one's number.
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
private struct InterruptedCommit: Error {
  /// The number of the transaction.
  let number: Int
  let cause: LMDBError
}
