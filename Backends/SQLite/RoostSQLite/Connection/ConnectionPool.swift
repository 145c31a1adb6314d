// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The connections of one open store: one that writes and a few that read, each used by one caller at a time; and one
/// that looks whether others have written, once that was asked for.
///
/// Readers see the last commit and are not held up by the writer. A database in memory has one connection for both.
final class ConnectionPool: @unchecked Sendable {
  // Sendable: the mutable state is used under `condition`, the writer under `writerLock`, the
  // watcher under `watchLock`; a reader belongs to the one caller that took it out of `idleReaders`.

  let location: SQLiteLocation
  let settings: ConnectionSettings
  let file: FileIdentity?
  let process = ProcessGeneration.current
  /// Whether the only connection shows one snapshot, in a transaction that stays open.
  let isFrozen: Bool
  let condition = NSCondition()
  let writerLock = NSLock()
  var writer: SQLiteConnection?
  var idleReaders: [SQLiteConnection] = []
  var busyReaders = 0
  /// How many callers wait for a connection that reads.
  var waitingReaders = 0
  private var isEndingPlanned = false
  private var generation = 0
  /// Whether the connection that writes is to be opened anew.
  private let renewsWriter = Atomic(false)
  /// The log and its index, as the connections have them open; nil when that is not known.
  let sideFiles = Mutex<SideFiles?>(nil)
  let watchLock = NSLock()
  var watcher: (connection: SQLiteConnection, number: Int)?
  var watcherCount = 0
  var isClosed = false
  /// The number by which is seen that the store was brought to another version; 0 until it is known.
  let format = Atomic<Int64>(0)

  /// Opens a database and keeps its first connection as the writer, or for a read-only store as a reader.
  init(_ location: SQLiteLocation, settings: ConnectionSettings) throws {
    self.location = location
    self.settings = settings
    isFrozen = false
    let first = try settings.open(location)
    file = location.fileIdentity()
    if settings.isReadOnly {
      idleReaders = [first]
    } else {
      writer = first
    }
    if let file { OpenFiles.add(self, of: file) }
  }

  /// Opens a connection of its own that shows the state of now for as long as it is open.
  private init(
    frozenAt location: SQLiteLocation, settings: ConnectionSettings, file: FileIdentity?,
    format: Int64
  ) throws {
    self.format.store(format, ordering: .relaxed)
    self.location = location
    self.settings = settings
    self.file = file
    isFrozen = true
    let reader = try settings.openReader(location)
    try reader.run("BEGIN")
    // A transaction sees the state of its first read.
    _ = try SQLiteFile.metadata(reader)
    idleReaders = [reader]
    if let file { OpenFiles.add(self, of: file) }
  }

  /// Returns a pool that shows the state of now; nil for a database in memory, which has one connection.
  func frozen() throws -> ConnectionPool? {
    guard location != .memory else { return nil }
    try checkProcess()
    try checkOpen()
    try checkFile()
    try restoringSideFiles { try checkSideFiles() }
    return try ConnectionPool(
      frozenAt: location, settings: settings, file: file,
      format: format.load(ordering: .relaxed))
  }

  deinit {
    close()
  }

  /// Runs `body` with a connection that may only read.
  func read<Result>(
    _ cancellation: RequestCancellation? = nil, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    if location == .memory {
      return try write(cancellation) { connection in
        try connection.interruptible { try body(connection) }
      }
    }
    let (reader, generation) = try renewingAfterFailure {
      try restoringSideFiles { try takeReader(cancellation) }
    }
    defer { giveBack(reader, generation) }
    guard !isFrozen || reader.isInTransaction else {
      throw PersistenceError(
        .persistentStoreOperation, "The snapshot that was to be shown is lost: an error ended it.")
    }
    let result = Swift.Result {
      try renewingAfterFailure {
        try reader.asking(for: cancellation) {
          try reader.interruptible {
            try holdsReadings
              ? reader.holding { try readKnownVersion(reader, body) }
              : readKnownVersion(reader, body)
          }
        }
      }
    }
    // Without locks, nobody is kept from writing meanwhile; then neither rows nor errors mean anything.
    guard !reader.isOutdated else {
      throw PersistenceError(.storeBusy, "The file was written while it was read without locks.")
    }
    return try result.get()
  }

  /// Runs `body` with the connection that may write. Waiting for it, and for the writers of other processes, can be
  /// cancelled; what `body` does is interrupted only where it says so.
  func write<Result>(
    _ cancellation: RequestCancellation? = nil, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try checkProcess()
    guard
      try writerLock.try()
        || writerLock.lock(until: Deadline(after: settings.timeout), cancellation)
    else {
      throw PersistenceError(.storeBusy, "Another thread wrote until the time was over.")
    }
    defer { writerLock.unlock() }
    try checkOpen()
    try checkFile()
    guard !isFrozen else {
      throw PersistenceError(.readOnlyStore, "A snapshot of a store cannot be written.")
    }
    if renewsWriter.exchange(false, ordering: .acquiringAndReleasing) { writer = nil }
    try renewingAfterFailure { try restoreSideFiles() }
    endIdleReadings()
    defer { if writer?.isSpoiled == true, location != .memory { writer = nil } }
    do {
      return try renewingAfterFailure {
        let connection = try writerConnection()
        let result = try connection.asking(for: cancellation) { try body(connection) }
        noteSideFiles()
        return result
      }
    } catch let failure as SQLiteCommitFailure {
      forgetConnections()
      throw failure
    }
  }

  /// Runs `body` with the connection that was opened first.
  func readFirst<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try settings.isReadOnly ? read(nil, body) : write(nil, body)
  }

  /// Lets the first connection read from now on, because the store was found as it is to be: a program that only reads
  /// needs no other, and who writes opens one then.
  func handOverFirst() throws {
    guard location != .memory, !settings.isReadOnly else { return }
    writerLock.lock()
    defer { writerLock.unlock() }
    guard let first = writer else { return }
    try settings.makeReader(first)
    writer = nil
    condition.withLock {
      if !isClosed { idleReaders.append(first) }
    }
  }

  /// Closes all connections, after the callers that use them now are done.
  func close() {
    writerLock.lock()
    condition.lock()
    let wasClosed = isClosed
    isClosed = true
    while busyReaders > 0 { condition.wait() }
    idleReaders = []
    condition.broadcast()
    condition.unlock()
    watchLock.withLock { watcher = nil }
    writer?.collectStatistics()
    // The last connection of a file to be closed moves the log into it, so the one that may write goes last.
    writer = nil
    writerLock.unlock()
    if let file, !wasClosed { OpenFiles.remove(self, of: file) }
  }

  /// Makes every connection be opened anew: after a commit whose outcome is unknown, what they believe may be wrong.
  func forgetConnections() {
    guard location != .memory else { return }
    forgetReaders()
    writer = nil
  }

  private func forgetReaders() {
    _ = condition.withLock { dropReaders() }
  }

  /// Does so when the caller has locked `condition`; they are closed when it lets go of what is returned.
  @discardableResult func dropReaders() -> [SQLiteConnection] {
    generation += 1
    defer { idleReaders = [] }
    return idleReaders
  }

  /// Closes the connections that nobody uses now, and the others when their requests are done.
  func renewConnections() {
    guard location != .memory, !isFrozen else { return }
    forgetReaders()
    forgetWatcher()
    renewsWriter.store(true, ordering: .releasing)
    // The current writer drops the connection before the next write.
    guard writerLock.try() else { return }
    defer { writerLock.unlock() }
    if renewsWriter.exchange(false, ordering: .acquiringAndReleasing) { writer = nil }
  }

  /// Runs `body`; when the system fails it, the next request gets connections that were opened anew.
  private func renewingAfterFailure<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError where error.leavesDoubtfulLocks {
      if let file { OpenFiles.renewConnections(of: file) }
      throw error
    } catch let failure as SQLiteCommitFailure {
      if let file { OpenFiles.renewConnections(of: file) }
      throw failure
    }
  }

  private func writerConnection() throws -> SQLiteConnection {
    if let writer { return writer }
    guard !settings.isReadOnly else {
      throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
    }
    let connection = try settings.reopen(location)
    writer = connection
    return connection
  }
}

// MARK: - Readers

extension ConnectionPool {
  private func takeReader(
    _ cancellation: RequestCancellation?
  ) throws -> (SQLiteConnection, generation: Int) {
    try checkProcess()
    let (idle, generation) = try claimReader(cancellation)
    // A file that was written since is opened anew, with locks if there are any now.
    if let idle, isFrozen || !idle.isOutdated { return (idle, generation) }
    do {
      return (try openReader(), generation)
    } catch {
      condition.withLock {
        busyReaders -= 1
        condition.broadcast()
      }
      throw error
    }
  }

  /// Counts the caller among those who read; nil when it is to open a connection: that takes the disk's time, for
  /// which nobody else is to wait.
  private func claimReader(
    _ cancellation: RequestCancellation?
  ) throws -> (SQLiteConnection?, generation: Int) {
    var deadline: Deadline?
    condition.lock()
    defer { condition.unlock() }
    while true {
      guard !isClosed else { throw Self.closed }
      if let reader = idleReaders.popLast() {
        busyReaders += 1
        return (reader, generation)
      }
      if busyReaders < settings.readerLimit, !isFrozen {
        busyReaders += 1
        return (nil, generation)
      }
      let limit = deadline ?? Deadline(after: settings.timeout)
      deadline = limit
      waitingReaders += 1
      defer { waitingReaders -= 1 }
      guard try condition.wait(until: limit, cancellation) else {
        throw PersistenceError(.storeBusy, "All connections were busy until the time was over.")
      }
    }
  }

  private func giveBack(_ reader: SQLiteConnection, _ generation: Int) {
    condition.lock()
    busyReaders -= 1
    if generation == self.generation, !isClosed, !reader.isSpoiled { idleReaders.append(reader) }
    if reader.isHolding { planEnding() }
    // A caller that waits and `close` may both be waiting.
    condition.broadcast()
    condition.unlock()
  }
}

// MARK: - Readings that are held

extension ConnectionPool {
  /// Whether readers leave their transactions open between requests. Without a log, or with one that cannot be
  /// written, there is nothing to see of what others write.
  private var holdsReadings: Bool { !isFrozen && !settings.isReadOnly }

  /// How long a transaction may stay open that nobody reads in: as long as it does, the log's space is not used again.
  private static let holdingTime = DispatchTimeInterval.milliseconds(100)

  /// Sees to it that what is held is not held for long; the caller has locked `condition`.
  private func planEnding() {
    guard !isEndingPlanned else { return }
    isEndingPlanned = true
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.holdingTime) {
      [weak self] in
      guard let self else { return }
      condition.withLock { self.isEndingPlanned = false }
      endIdleReadings()
    }
  }

  /// Ends the transactions in which nobody reads.
  private func endIdleReadings() {
    condition.withLock {
      for reader in idleReaders { reader.endReading() }
    }
  }
}
