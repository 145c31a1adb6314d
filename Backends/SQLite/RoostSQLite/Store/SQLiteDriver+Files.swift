// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
package import RoostStore

extension SQLiteDriver {
  /// Removes the file and what lies beside it, unless somebody has it open (B239).
  package func destroy(_ description: PersistentStoreDescription) throws {
    try translating(description) {
      let location = try SQLiteLocation(description.url)
      guard let path = location.path, let file = location.fileIdentity() else { return }
      let connection = try takeAlone(location, file, description)
      try lock(connection, description)
      // Who is alone removes, and the file last: what lies beside it is then still its own, and not a new one's.
      try withExtendedLifetime(connection) {
        for file in location.sideFiles + [path] { try Self.remove(file) }
      }
    }
  }

  private static func remove(_ file: String) throws {
    guard FileManager.default.fileExists(atPath: file) else { return }
    do {
      try FileManager.default.removeItem(atPath: file)
    } catch {
      throw PersistenceError(
        .persistentStoreOperation, "The store's file cannot be removed.", underlying: error)
    }
  }

  /// Copies one store over another, or to where there is none (B240). The copy is one transaction.
  package func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try translating(destination) {
      let from = try SQLiteLocation(source.url)
      let to = try SQLiteLocation(destination.url)
      guard let original = from.fileIdentity() else {
        throw PersistenceError(.persistentStoreOpen, "There is no store to copy.")
      }
      if let file = to.fileIdentity() {
        guard file != original else {
          throw PersistenceError(.persistentStoreOperation, "A store cannot replace itself.")
        }
        _ = try takeAlone(to, file, destination)
      }
      let input = try SQLiteConnection(from, access: .readWrite, timeout: source.timeout)
      try SQLiteFile.check(input)
      to.makePrivateFile()
      let output = try SQLiteConnection(to, access: .create, timeout: destination.timeout)
      try copy(input, to: output, timeout: destination.timeout)
    }
  }

  /// Makes sure that a file is Roost's and that nobody has it open: only who is alone can leave the log mode, and then
  /// nothing is left beside the file. The option to force it lets locks be, but not another program's file.
  private func takeAlone(
    _ location: SQLiteLocation, _ file: FileIdentity, _ description: PersistentStoreDescription
  ) throws -> SQLiteConnection {
    let isForced = description.options[StoreOption.forceDestroy] == .boolean(true)
    guard isForced || !OpenFiles.contains(file) else {
      throw PersistenceError(.storeBusy, "The store is open in this process.")
    }
    let connection = try SQLiteConnection(
      location, access: .readWrite, timeout: min(description.timeout, 1))
    guard try !SQLiteFile.isEmpty(connection) else { return connection }
    try SQLiteFile.check(connection)
    do {
      _ = try connection.text("PRAGMA journal_mode=DELETE")
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      guard isForced else {
        throw PersistenceError(.storeBusy, "The store is open elsewhere.", underlying: error)
      }
    }
    return connection
  }

  /// Locks a file that has left the log mode, for as long as the connection is open, so that nobody opens it anew.
  private func lock(
    _ connection: SQLiteConnection, _ description: PersistentStoreDescription
  ) throws {
    do {
      try connection.execute("BEGIN EXCLUSIVE")
      guard try connection.text("PRAGMA journal_mode") != "wal" else {
        throw SQLiteError(code: SQLITE_BUSY, handle: nil)
      }
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      guard description.options[StoreOption.forceDestroy] == .boolean(true) else {
        throw PersistenceError(.storeBusy, "The store is open elsewhere.", underlying: error)
      }
    }
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
  }
}
