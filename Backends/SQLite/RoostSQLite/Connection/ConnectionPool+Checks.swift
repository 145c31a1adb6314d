// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

// Checks that run before a connection is used.
extension ConnectionPool {
  static let closed = PersistenceError(
    .storeRemoved, "The store was closed or removed from its coordinator.")

  func checkOpen() throws {
    condition.lock()
    defer { condition.unlock() }
    if isClosed { throw Self.closed }
  }

  /// Throws in a forked child process: an inherited connection shares locks and memory with the parent's, and using it
  /// would corrupt the file.
  func checkProcess() throws {
    guard ProcessGeneration.current == process else {
      throw PersistenceError(
        .persistentStoreOperation, "A store that was opened before a fork cannot be used after it.")
    }
  }

  /// Throws when the file was renamed or replaced: writes to it would be lost.
  func checkFile() throws {
    guard let file, location.fileIdentity() != file else { return }
    throw PersistenceError(
      .persistentStoreOperation, "The database file was moved, replaced or removed while open.")
  }
}

// MARK: - Readers

extension ConnectionPool {
  /// How busy the connections are that read.
  var connections: StoreConnections {
    condition.withLock {
      StoreConnections(
        limit: settings.readerLimit, inUse: busyReaders, idle: idleReaders.count,
        waiting: waitingReaders)
    }
  }

  /// Opens a connection that reads, to the file that the pool was opened with.
  func openReader() throws -> SQLiteConnection {
    try checkFile()
    try checkSideFiles()
    return try settings.openReader(location)
  }
}
