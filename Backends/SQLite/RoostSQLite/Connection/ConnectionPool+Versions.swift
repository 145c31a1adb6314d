// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import Synchronization

// Another process can bring the store to another version of its model while this one has it open (M34).
extension ConnectionPool {
  /// Remembers in which version the store is used.
  func expect(_ format: StoreFormat) {
    self.format.store(format.number, ordering: .relaxed)
  }

  /// Makes sure, inside of a transaction that writes, that the store is of the version in which it was opened.
  ///
  /// - Throws: `persistentStoreIncompatibleVersionHash`.
  func checkVersion(_ connection: SQLiteConnection) throws {
    let expected = StoreFormat(format.load(ordering: .relaxed))
    guard expected.number != 0 else { return }
    guard let found = try connection.number(SQLiteFile.readingFormat).map(StoreFormat.init),
      found.isOfSameModel(as: expected), found.version <= SQLiteFile.newestFormatVersion
    else { throw StoreFormat.migratedElsewhere }
    // Others, too, make tables when they need them.
    connection.keepsPrepared = found.version >= PreparedTables.formatVersion
  }

  /// Runs `body`, which only reads, and makes sure that it saw the store in the version in which it was opened: the
  /// number only grows, so what was read before it was looked at is not of a later version. That also tells why a
  /// statement found no table or column.
  ///
  /// - Throws: `persistentStoreIncompatibleVersionHash`, or what `body` throws.
  func readKnownVersion<Result>(
    _ connection: SQLiteConnection, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    let isHeld = isFrozen || connection.isHolding
    do {
      let result = try body(connection)
      // An open transaction shows one state.
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
        // The database cannot be asked any more; the first error says why.
      }
      throw error
    } catch let error as PersistenceError where error.code == .corruptStore {
      try checkVersion(connection)
      throw error
    }
  }
}
