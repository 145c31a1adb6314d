// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostStore
import Synchronization

/// The write-ahead log and its index beside a database, as their paths lead to them now.
///
/// SQLite opens them once and never checks the paths again: a save into a log that was removed is lost with the last
/// connection, and two processes with different index files do not see each other's locks.
struct SideFiles: Equatable {
  let log: FileIdentity?
  let index: FileIdentity?
  let logSize: Int

  init(_ location: SQLiteLocation) {
    // Each save checks them, so no array of their paths is made.
    let log = location.logPath.flatMap(Self.find)
    self.log = log?.identity
    logSize = log?.size ?? 0
    index = location.indexPath.flatMap(Self.find)?.identity
  }

  private static func find(_ path: String) -> (identity: FileIdentity, size: Int)? {
    var place = roost_sqlite3_place()
    guard roost_sqlite3_find(path, &place) != 0 else { return nil }
    return (FileIdentity(device: place.device, inode: place.inode), Int(place.size))
  }

  /// Whether both exist.
  var isComplete: Bool { log != nil && index != nil }

  static func == (left: SideFiles, right: SideFiles) -> Bool {
    left.log == right.log && left.index == right.index
  }
}

/// Thrown when the log or its index is no longer the file that the connections have open.
struct SideFilesChanged: Error {}

extension ConnectionPool {
  /// Flushes the log, so that everything that can be read is durable: before SQLite moves a transaction from the log
  /// to the database, it flushes the log itself.
  func flushLog() throws {
    guard let path = location.logPath else { return }
    // The descriptor does not matter to the connections: their locks are on the index.
    try DurableFiles.synchronize(path)
    try DurableFiles.synchronizeFolder(of: path)
  }

  private var hasSideFiles: Bool { location != .memory && !settings.isReadOnly }

  /// Records the log and its index, once the writer has used them.
  func noteSideFiles() {
    guard hasSideFiles, sideFiles.withLock({ $0?.isComplete }) != true else { return }
    // Only called with `writerLock` held.
    let found = SideFiles(location)
    sideFiles.withLock { $0 = found }
  }

  /// Throws before another connection is opened beside connections that have other side files open.
  ///
  /// - Throws: `SideFilesChanged`.
  func checkSideFiles() throws {
    guard hasSideFiles, let known = sideFiles.withLock({ $0 }) else { return }
    guard SideFiles(location) == known else { throw SideFilesChanged() }
  }

  /// Runs `body`, and once more after the log and its index were restored.
  func restoringSideFiles<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch is SideFilesChanged {
      guard writerLock.lock(until: Deadline(after: settings.timeout)) else { throw Self.lostLog }
      defer { writerLock.unlock() }
      try restoreSideFiles()
    }
    do {
      return try body()
    } catch is SideFilesChanged {
      throw Self.lostLog
    }
  }

  /// Restores the side files, so that other processes find the next write; the caller has locked `writerLock`.
  ///
  /// Commits that only a removed log contains are first checkpointed into the database, by a connection that has the
  /// log open.
  ///
  /// - Throws: `persistentStoreOperation` when another log has replaced it, or a reader still uses pages that only the
  ///   old one has.
  func restoreSideFiles() throws {
    guard hasSideFiles, let known = sideFiles.withLock({ $0 }) else { return }
    let now = SideFiles(location)
    guard now != known else { return }
    try restore(known, now)
    // The other stores of this process have the old files open too.
    if let file { OpenFiles.renewConnections(of: file) }
  }

  private func restore(_ known: SideFiles, _ now: SideFiles) throws {
    forgetWatcher()
    condition.lock()
    defer { condition.unlock() }
    let deadline = Deadline(after: settings.timeout)
    while busyReaders > 0 {
      guard condition.wait(until: deadline) else { throw Self.lostLog }
    }
    for reader in idleReaders { reader.endReading() }
    if let connection = writer ?? idleReaders.last {
      try empty(connection, known, now)
      if now.index != known.index {
        // The other stores of this process would pass their old index on to new connections.
        guard let file, OpenFiles.count(of: file) == 1 else { throw Self.lostLog }
      }
    }
    dropReaders()
    writer = nil
    sideFiles.withLock { $0 = nil }
  }

  /// Checkpoints and empties the log that a connection has open, if its path no longer leads to it.
  private func empty(
    _ connection: SQLiteConnection, _ known: SideFiles, _ now: SideFiles
  ) throws {
    guard now.log != known.log else { return }
    // Another process has done so before, and writes to a new log by now.
    if roost_sqlite3_log_size(connection.handle) == 0 { return }
    let isFree = now.log == nil || now.logSize == 0
    let isOwnIndex = now.index == known.index || now.index == nil
    guard isFree, isOwnIndex,
      try connection.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    else { throw Self.lostLog }
  }

  private static let lostLog = PersistenceError(
    .persistentStoreOperation,
    "The database's write-ahead log (-wal) or its index (-shm) was removed or replaced while open. "
      + "Close all stores on the file and open it again: what was saved is kept.")
}
