// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The lock of a migration that uses a second schema, or goes through stages.
///
/// The lock belongs to an open transaction that runs nothing else: no other client gets the session meanwhile, even
/// where sessions are shared, and the lock is released when the program ends or the connection is lost.
final class SessionMigrationLock: StoreMigrationLock {
  private let connection: PostgreSQLConnection

  /// Waits for the lock.
  ///
  /// - Throws: `storeBusy` when another program still holds it after the description's time-out.
  init(
    _ connection: PostgreSQLConnection, for use: StoreMigrationUse, timeout: TimeInterval
  ) throws {
    self.connection = connection
    let deadline = Deadline(after: timeout)
    while true {
      let results = try connection.run([
        .begin,
        // Otherwise the server would end a transaction that is idle during a long migration.
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
