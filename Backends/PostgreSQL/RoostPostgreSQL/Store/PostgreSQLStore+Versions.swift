// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

// Another program can bring the store to another version of its model while this one has it open (M34).
//
// Saves look at the number of the version in the statement that marks them. Requests that read do not look at all: what
// they would misread got another identifier, so the server refuses them. That is looked into here, before it is taken
// for damage.
extension PostgreSQLStore {
  /// Runs `body`, and finds out whether it fails because the store is of another version now.
  ///
  /// - Throws: `persistentStoreIncompatibleVersionHash`, or what `body` throws.
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

  /// Makes sure that the store is of the version in which it was opened.
  ///
  /// - Throws: `persistentStoreIncompatibleVersionHash`.
  func checkVersion(_ connection: PostgreSQLConnection) throws {
    let format = try connection.run(pool.settings.namespace.readingVersions)
    guard format.count != 1 || opened.accepts(format.integer(), second: format.text(0, 1)) else {
      throw StoreFormat.migratedElsewhere
    }
  }

  /// Whether the store is of another version than it was when it was opened, as far as the server can be asked.
  private var isOfOtherVersion: Bool {
    let opened = opened
    let format = try? pool.withConnection { connection in
      try connection.run(connection.namespace.readingVersions)
    }
    guard let format, format.count == 1 else { return false }
    return !opened.accepts(format.integer(), second: format.text(0, 1))
  }
}
