// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
package import RoostStore

extension SQLiteDriver: ReplacementDriver {
  package func beginReplacement(
    of description: PersistentStoreDescription
  ) throws -> (any StoreReplacement)? {
    try translating(description) { try SQLiteReplacement(of: description, by: self) }
  }
}

/// A file that is watched until another one replaces it.
///
/// `data_version` counts the commits of all other connections, but only values of one connection can be compared. So
/// one connection watches the file, locks it, and gets the copy.
private final class SQLiteReplacement: StoreReplacement {
  private let driver: SQLiteDriver
  private let destination: PersistentStoreDescription
  private let location: SQLiteLocation
  private let file: FileIdentity
  /// Nil after the replacement.
  private var connection: SQLiteConnection?
  private let version: Int64?

  init(of destination: PersistentStoreDescription, by driver: SQLiteDriver) throws {
    self.driver = driver
    self.destination = destination
    location = try SQLiteLocation(destination.url)
    guard let file = location.fileIdentity() else {
      throw PersistenceError(.persistentStoreOpen, "There is no store to replace.")
    }
    self.file = file
    let connection = try SQLiteConnection(
      location, access: .readWrite, timeout: min(destination.timeout, 1))
    version = try connection.dataVersion()
    self.connection = connection
  }

  func replace(with source: PersistentStoreDescription) throws -> Bool {
    let isReplaced = try driver.translating(destination) {
      guard let connection else { return false }
      do {
        guard try lockUnchanged(connection) else {
          connection.unlock()
          return false
        }
        try replace(over: connection, with: source)
        return true
      } catch {
        connection.unlock()
        throw error
      }
    }
    guard isReplaced, let path = location.path else { return isReplaced }
    // Closing the connection removes the journal; the folder is flushed after that.
    connection = nil
    try DurableFiles.synchronizeFolder(of: path)
    return true
  }

  /// Keeps others from using the file, and compares.
  ///
  /// This has to be before the file leaves WAL mode: after that, the version no longer counts what others had written
  /// to the log only.
  private func lockUnchanged(_ connection: SQLiteConnection) throws -> Bool {
    guard location.fileIdentity() == file else { return false }
    do {
      try connection.lock()
    } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
      throw PersistenceError(.storeBusy, "The store is open elsewhere.", underlying: error)
    }
    guard try connection.dataVersion() == version else { return false }
    try connection.run("COMMIT")
    return true
  }

  private func replace(
    over connection: SQLiteConnection, with source: PersistentStoreDescription
  ) throws {
    try driver.takeAlone(file, with: connection, destination)
    guard try driver.lock(connection, destination) else {
      throw PersistenceError(.corruptStore, "The store that is replaced is damaged.")
    }
    let input = try driver.open(SQLiteLocation(source.url), toCopyWith: source)
    try connection.keepingLock { try driver.copy(input, to: connection, destination) }
  }
}

extension SQLiteConnection {
  /// Returns a number that differs after every commit of another connection. Only numbers of one connection can be
  /// compared.
  func dataVersion() throws -> Int64? {
    try number("PRAGMA data_version")
  }

  /// Begins a transaction whose lock outlasts it: no other connection can use the file until this one is closed or
  /// unlocked. It fails while another connection has the file open, which in WAL mode only this locking mode tells.
  func lock() throws {
    try execute("PRAGMA locking_mode=EXCLUSIVE")
    try execute("BEGIN EXCLUSIVE")
  }

  /// Rolls the transaction back, and gives the lock up.
  func unlock() {
    rollBack()
    try? execute("PRAGMA locking_mode=NORMAL")
    // SQLite gives it up at the end of the next request.
    _ = try? number("PRAGMA user_version")
  }

  /// Ends an exclusive transaction and calls `body`; nobody else can use the file until the connection is closed, or
  /// `body` throws.
  func keepingLock(_ body: () throws -> Void) throws {
    try execute("PRAGMA locking_mode=EXCLUSIVE")
    try run("COMMIT")
    do {
      try body()
    } catch {
      unlock()
      throw error
    }
  }
}
