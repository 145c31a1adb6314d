// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

// Another program can migrate the store to another version of its model while this one has it open (M34).
//
// Saves check the version number in the statement that writes their mark. Requests that read do not check it: tables
// and columns that they would misread have got other identifiers, so the server raises an error. The functions here
// check the version before such an error is reported as corruption.
extension PostgreSQLStore {
  /// Runs `body`, and checks the store's version when it fails.
  ///
  /// - Throws: `persistentStoreIncompatibleVersionHash`, or the errors of `body`.
  func noticingOtherVersions<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError
      where error.isChangedTable || error.isDivisionByZero || error.isOutdatedStatement
    {
      if isOfOtherVersion { throw StoreFormat.migratedElsewhere }
      throw error
    } catch let error as PersistenceError where error.code == .corruptStore {
      if isOfOtherVersion { throw StoreFormat.migratedElsewhere }
      throw error
    }
  }

  /// Checks that the store is in the version in which it was opened.
  ///
  /// - Throws: `persistentStoreIncompatibleVersionHash`.
  func checkVersion(_ connection: PostgreSQLConnection) throws {
    let format = try connection.run(pool.settings.namespace.readingVersions)
    guard format.count != 1 || opened.accepts(format.integer(), second: format.text(0, 1)) else {
      throw StoreFormat.migratedElsewhere
    }
  }

  /// Whether the store is in another version than when it was opened, as far as the server can be asked.
  private var isOfOtherVersion: Bool {
    let opened = opened
    let format = try? pool.withConnection { connection in
      try connection.run(connection.namespace.readingVersions)
    }
    guard let format, format.count == 1 else { return false }
    return !opened.accepts(format.integer(), second: format.text(0, 1))
  }
}
