// SPDX-License-Identifier: Apache-2.0

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
      guard let connection, try isUnchanged(connection) else { return false }
      try driver.takeAlone(file, with: connection, destination)
      guard try driver.lock(connection, destination) else {
        // It is damaged, or its use is forced and others may write it.
        return false
      }
      guard try isUnchanged(connection) else {
        try connection.run("ROLLBACK")
        return false
      }
      let input = try driver.open(SQLiteLocation(source.url), toCopyWith: source)
      try connection.keepingLock { try driver.copy(input, to: connection, destination) }
      return true
    }
    guard isReplaced, let path = location.path else { return isReplaced }
    // Closing the connection removes the journal; the folder is flushed after that.
    connection = nil
    try DurableFiles.synchronizeFolder(of: path)
    return true
  }

  private func isUnchanged(_ connection: SQLiteConnection) throws -> Bool {
    guard location.fileIdentity() == file else { return false }
    return try connection.dataVersion() == version
  }
}

extension SQLiteConnection {
  /// Returns a number that differs after every commit of another connection. Only numbers of one connection can be
  /// compared.
  func dataVersion() throws -> Int64? {
    try number("PRAGMA data_version")
  }

  /// Ends an exclusive transaction and calls `body`; nobody else can use the file until the connection is closed, or
  /// `body` throws.
  func keepingLock(_ body: () throws -> Void) throws {
    try execute("PRAGMA locking_mode=EXCLUSIVE")
    try run("COMMIT")
    do {
      try body()
    } catch {
      // The next request gives the lock up.
      try? execute("PRAGMA locking_mode=NORMAL")
      _ = try? number("PRAGMA user_version")
      throw error
    }
  }
}
