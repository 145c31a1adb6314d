// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The lock of those who migrate a store by way of a second schema, or through stages.
///
/// It ends with a transaction, which does nothing else: also where sessions are shared, nobody gets the session
/// meanwhile, and nothing is left of the lock when the program ends. When the connection is lost, so is the lock.
final class SessionMigrationLock: StoreMigrationLock {
  private let connection: PostgreSQLConnection

  /// Waits for the lock.
  ///
  /// - Throws: `storeBusy` when another program still has it after the description's time.
  init(
    _ connection: PostgreSQLConnection, for use: StoreMigrationUse, timeout: TimeInterval
  ) throws {
    self.connection = connection
    let deadline = Deadline(after: timeout)
    while true {
      let results = try connection.run([
        .begin,
        // The server would end a transaction that waits for a long migration.
        .once("SET LOCAL idle_in_transaction_session_timeout = 0"),
        try connection.namespace.tryingMigratingLock(for: use),
      ]).get()
      if results[2].isTrue() { return }
      try connection.rollBack()
      guard !deadline.isOver else {
        throw PersistenceError(.storeBusy, "Another program is migrating the store.")
      }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  func check() throws {
    do {
      try connection.run(.once("SELECT 1"))
    } catch {
      throw PersistenceError(
        .storeBusy,
        "The connection that kept others from migrating the store was lost: nothing more was "
          + "changed. Open the store again.",
        underlying: error)
    }
  }
}
