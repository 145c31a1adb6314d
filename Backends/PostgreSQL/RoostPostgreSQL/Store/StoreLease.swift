// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Says that a store whose sessions are shared is in use: a row that is renewed for as long as the store is open.
///
/// A session of one's own holds a lock instead (`StoreReading`), which ends with it. Destroying a store looks for
/// both. A program that ends without closing its store leaves a row that counts for a minute more.
final class StoreLease: @unchecked Sendable {
  // Sendable: nothing changes after `init`, and a timer can be cancelled from any thread.
  private let pool: ConnectionPool
  let token: UUID
  private let timer: any DispatchSourceTimer

  /// How long a row counts after it was written or renewed, in seconds, by the server's clock.
  private static let lifetime = 60
  /// How often it is renewed, in seconds.
  private static let interval = 15.0

  /// Writes the row, and makes the table where an older Roost has made the store.
  ///
  /// - Parameter isTableThere: Whether the store has the table already.
  init(_ pool: ConnectionPool, _ connection: PostgreSQLConnection, isTableThere: Bool) throws {
    self.pool = pool
    let token = UUID()
    self.token = token
    let namespace = connection.namespace
    // The lock ends with the transaction: nobody destroys the store while the row is written.
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
      // What fails now is tried again soon; a store that was destroyed by force needs no row.
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

  /// The condition that a row counts.
  static let counts =
    "renewed > pg_catalog.clock_timestamp() - CAST('\(lifetime) seconds' AS interval)"

  /// Asks whether anybody uses the store by such a row. The table must be there.
  static func search(_ namespace: PostgreSQLNamespace) -> PostgreSQLCommand {
    .once("SELECT EXISTS (SELECT 1 FROM \(namespace.sessionsTable) WHERE \(counts))")
  }
}
