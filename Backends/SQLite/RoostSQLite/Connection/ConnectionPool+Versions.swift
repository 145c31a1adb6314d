// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import Synchronization

// Another process can migrate the store to another version of its model while this one has it open (M34).
extension ConnectionPool {
  /// Sets the format in which the store is used.
  func expect(_ format: StoreFormat) {
    self.format.store(format.number, ordering: .relaxed)
  }

  /// Checks, in a write transaction, that the store is in the version in which it was opened.
  ///
  /// - Throws: `persistentStoreIncompatibleVersionHash`.
  func checkVersion(_ connection: SQLiteConnection) throws {
    let expected = StoreFormat(format.load(ordering: .relaxed))
    guard expected.number != 0 else { return }
    guard let found = try connection.number(SQLiteFile.readingFormat).map(StoreFormat.init),
      found.isOfSameModel(as: expected), found.version <= SQLiteFile.newestFormatVersion
    else { throw StoreFormat.migratedElsewhere }
    // Other processes, too, create these tables when they need them.
    connection.keepsPrepared = found.version >= PreparedTables.formatVersion
  }

  /// Runs `body`, which only reads, and checks afterwards that the store was in the version in which it was opened.
  /// The number only grows, so data that was read before the check is not of a later version. The check also explains
  /// an error about a missing table or column.
  ///
  /// - Throws: `persistentStoreIncompatibleVersionHash`, or the errors of `body`.
  func readKnownVersion<Result>(
    _ connection: SQLiteConnection, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    let isHeld = isFrozen || connection.isHolding
    do {
      let result = try body(connection)
      // An open transaction has one snapshot.
      if isHeld, connection.showsKnownVersion { return result }
      try checkVersion(connection)
      connection.showsKnownVersion = isHeld
      return result
    } catch let error as SQLiteError {
      do {
        try checkVersion(connection)
      } catch let version as PersistenceError {
        throw version
      } catch {
        // The database cannot be read any more; the first error says why.
      }
      throw error
    } catch let error as PersistenceError where error.code == .corruptStore {
      try checkVersion(connection)
      throw error
    }
  }
}
