// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The lease of an open store whose sessions are shared: a row that is renewed as long as the store is open.
///
/// A session that is not shared holds a lock instead (`StoreReading`), which ends with the session. Destroying a store
/// looks for both. A program that ends without closing its store leaves a row that counts for another minute.
final class StoreLease: @unchecked Sendable {
  // Sendable: nothing changes after `init`, and a timer can be cancelled from any thread.
  private let pool: ConnectionPool
  let token: UUID
  private let timer: any DispatchSourceTimer

  /// The lifetime of a row after it was written or renewed, in seconds, by the server's clock.
  private static let lifetime = 60
  /// The heartbeat interval, in seconds.
  private static let interval = 15.0

  /// Writes the row, and creates the table in a store that an older version of Roost has made.
  ///
  /// - Parameter isTableThere: Whether the store has the table already.
  init(_ pool: ConnectionPool, _ connection: PostgreSQLConnection, isTableThere: Bool) throws {
    self.pool = pool
    let token = UUID()
    self.token = token
    let namespace = connection.namespace
    // The lock ends with the transaction: the store cannot be destroyed while the row is written.
    var commands = [
      PostgreSQLCommand.once(
        "SELECT pg_catalog.pg_advisory_xact_lock_shared(\(namespace.usingLock))")
    ]
    if !isTableThere { commands.append(.once(namespace.sessionsDefinition)) }
    commands.append(.once("DELETE FROM \(namespace.sessionsTable) WHERE NOT \(Self.counts)"))
    commands.append(Self.writing(token, namespace))
    _ = try connection.runWriting(commands)
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
    timer.setEventHandler { [weak pool] in
      // A failed renewal is repeated at the next heartbeat; a store that was destroyed by force needs no row.
      _ = try? pool?.withConnection {
        try $0.runWriting([Self.writing(token, $0.namespace)])
      }
    }
    timer.activate()
  }

  deinit {
    timer.cancel()
  }

  /// Removes the row.
  func end() {
    timer.cancel()
    var parameters = Parameters()
    parameters.append(token)
    _ = try? pool.withConnection { connection in
      let text = "DELETE FROM \(connection.namespace.sessionsTable) WHERE token = $1"
      return try connection.runWriting([PostgreSQLCommand(text, parameters, isKept: false)])
    }
  }

  private static func writing(
    _ token: UUID, _ namespace: PostgreSQLNamespace
  ) -> PostgreSQLCommand {
    var parameters = Parameters()
    parameters.append(token)
    return PostgreSQLCommand(
      """
      INSERT INTO \(namespace.sessionsTable) (token, renewed) \
      VALUES ($1, pg_catalog.clock_timestamp()) \
      ON CONFLICT (token) DO UPDATE SET renewed = excluded.renewed
      """, parameters)
  }

  /// The condition that a row has not expired.
  static let counts =
    "renewed > pg_catalog.clock_timestamp() - CAST('\(lifetime) seconds' AS interval)"

  /// Returns the query whether the store is in use by such a row. The table must exist.
  static func search(_ namespace: PostgreSQLNamespace) -> PostgreSQLCommand {
    .once("SELECT EXISTS (SELECT 1 FROM \(namespace.sessionsTable) WHERE \(counts))")
  }
}
