// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
package import RoostStore

extension SQLiteDriver {
  /// Empties the file and removes its side files, unless it is open elsewhere (B239, B341).
  package func destroy(_ description: PersistentStoreDescription) throws {
    try translating(description) {
      let location = try SQLiteLocation(description.url)
      guard let path = location.path, let status = location.fileStatus() else { return }
      guard status.isRegular else {
        throw PersistenceError(
          .persistentStoreTypeMismatch, "There is something else than a file; it is left alone.")
      }
      // An empty file is not a store.
      guard status.size > 0 else { return }
      let connection = try takeAlone(location, status.identity, description)
      let isAlone = try lock(connection, description)
      // The side files go first: later ones could belong to a new store at the same path.
      try withExtendedLifetime(connection) {
        for file in location.sideFiles { try DurableFiles.remove(file) }
        if isAlone {
          try connection.emptyFile(path)
        } else {
          // Other processes continue with an unlinked file, and notice it.
          try DurableFiles.remove(path)
          location.makePrivateFile()
        }
      }
      try DurableFiles.synchronizeFolder(of: path)
    }
  }

  /// Copies one store over another, or to a new place (B240). The copy is one transaction.
  package func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try translating(destination) {
      let from = try SQLiteLocation(source.url)
      let to = try SQLiteLocation(destination.url)
      guard let original = from.fileIdentity() else {
        throw PersistenceError(.persistentStoreOpen, "There is no store to copy.")
      }
      let input = try open(from, toCopyWith: source)
      if let status = to.fileStatus() {
        guard status.isRegular else {
          throw PersistenceError(
            .persistentStoreTypeMismatch, "There is something else than a file; it is left alone.")
        }
        guard status.identity != original else {
          throw PersistenceError(.persistentStoreOperation, "A store cannot replace itself.")
        }
        try copy(input, over: to, status.identity, destination)
      } else {
        try copy(input, toNew: to, destination)
      }
      guard let path = to.path else { return }
      try DurableFiles.synchronizeFolder(of: path)
    }
  }

  private func copy(
    _ input: SQLiteConnection, over location: SQLiteLocation, _ file: FileIdentity,
    _ destination: PersistentStoreDescription
  ) throws {
    guard let old = try lockAlone(location, file, destination) else {
      return try copy(input, toNew: location, destination)
    }
    try old.keepingLock { try copy(input, to: old, destination) }
  }

  /// - Returns: A connection that keeps others from using the file; nil when it is corrupt, or in use and forced.
  private func lockAlone(
    _ location: SQLiteLocation, _ file: FileIdentity, _ description: PersistentStoreDescription
  ) throws -> SQLiteConnection? {
    let connection = try takeAlone(location, file, description)
    return try lock(connection, description) ? connection : nil
  }

  private func copy(
    _ input: SQLiteConnection, toNew location: SQLiteLocation,
    _ destination: PersistentStoreDescription
  ) throws {
    location.makePrivateFile()
    let output = try SQLiteConnection(location, access: .create, timeout: destination.timeout)
    try copy(input, to: output, destination)
  }

  /// Opens a store to copy it. It is only read: it may lie in a folder that cannot be written.
  func open(
    _ location: SQLiteLocation, toCopyWith source: PersistentStoreDescription
  ) throws -> SQLiteConnection {
    var readOnly = source
    readOnly.isReadOnly = true
    return try ConnectionSettings(readOnly).openReader(location)
  }

  /// Checks that a file is Roost's and that no other connection has it open: only a sole connection can leave WAL
  /// mode, which removes the side files. The option to force it ignores locks, but not another program's file.
  private func takeAlone(
    _ location: SQLiteLocation, _ file: FileIdentity, _ description: PersistentStoreDescription
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      location, access: .readWrite, timeout: min(description.timeout, 1))
    try takeAlone(file, with: connection, description)
    return connection
  }

  /// Does the same with a connection that is open.
  func takeAlone(
    _ file: FileIdentity, with connection: SQLiteConnection,
    _ description: PersistentStoreDescription
  ) throws {
    let isForced = try description.isOn(StoreOption.forceDestroy)
    guard isForced || !OpenFiles.contains(file) else {
      throw PersistenceError(.storeBusy, "The store is open in this process.")
    }
    guard try !SQLiteFile.isEmpty(connection) else { return }
    try SQLiteFile.check(connection)
    do {
      _ = try connection.text("PRAGMA journal_mode=DELETE")
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      guard isForced else {
        throw PersistenceError(.storeBusy, "The store is open elsewhere.", underlying: error)
      }
    } catch let error as SQLiteError where error.primaryCode == SQLITE_CORRUPT {
      // A corrupt store of Roost may be removed.
    }
  }

  /// Locks a file that has left WAL mode, for as long as the connection is open, so that no other process can open it.
  ///
  /// - Returns: Whether no other process can use the file; false when it is corrupt, or in use and forced. Then the
  ///   connection has no lock.
  func lock(
    _ connection: SQLiteConnection, _ description: PersistentStoreDescription
  ) throws -> Bool {
    do {
      try connection.execute("BEGIN EXCLUSIVE")
      guard try connection.text("PRAGMA journal_mode") != "wal" else {
        throw SQLiteError(code: SQLITE_BUSY, handle: nil)
      }
      return true
    } catch {
      connection.rollBack()
      guard let error = error as? SQLiteError else { throw error }
      switch error.primaryCode {
      case SQLITE_CORRUPT: return false
      case SQLITE_BUSY:
        guard try description.isOn(StoreOption.forceDestroy) else {
          throw PersistenceError(.storeBusy, "The store is open elsewhere.", underlying: error)
        }
        return false
      default: throw error
      }
    }
  }

  /// Copies a database over the one of another connection, durably.
  func copy(
    _ input: SQLiteConnection, to output: SQLiteConnection,
    _ destination: PersistentStoreDescription
  ) throws {
    // The copy is in the database file, and not only in its log, when the last side file has been removed.
    try output.execute("PRAGMA synchronous=EXTRA")
    try copy(input, to: output, timeout: destination.timeout)
  }

  private func copy(
    _ input: SQLiteConnection, to output: SQLiteConnection, timeout: TimeInterval
  ) throws {
    guard let backup = sqlite3_backup_init(output.handle, "main", input.handle, "main") else {
      throw SQLiteError(code: SQLITE_ERROR, handle: output.handle)
    }
    let deadline = Deadline(after: timeout)
    var code = sqlite3_backup_step(backup, -1)
    while code == SQLITE_BUSY || code == SQLITE_LOCKED, !deadline.isOver {
      sqlite3_sleep(10)
      code = sqlite3_backup_step(backup, -1)
    }
    let finish = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, finish == SQLITE_OK else {
      throw SQLiteError(code: code == SQLITE_DONE ? finish : code, handle: output.handle)
    }
    guard !input.isOutdated else {
      throw PersistenceError(
        .storeBusy,
        "The store was written while it was copied, and could only be opened without locks; try again."
      )
    }
  }
}
