// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel

/// What results, durability and deadlines rest on, whatever the server, the database and the user are configured for.
enum SessionSettings {
  /// How long the server may wait for a lock, in milliseconds: its refusal has to arrive before it counts as silent.
  static func lockTimeout(within seconds: Double) -> Int {
    max(1, Int(min(seconds * 800, 2_000_000_000)))
  }

  /// Sets everything for the session, if it is that of the server's process that the connection knows. The result has
  /// no row, and nothing was set, when it is another one's.
  ///
  /// - Parameter token: By what the session is to be recognised later; nil where that is not needed.
  static func forSession(
    of connection: PostgreSQLConnection, isReadOnly: Bool, token: String? = nil
  ) -> PostgreSQLCommand {
    var values = common(connection)
    values += [
      ("default_transaction_isolation", "read committed"),
      ("default_transaction_read_only", isReadOnly ? "on" : "off"),
      ("standard_conforming_strings", "on"),
    ]
    if PQserverVersion(connection.handle) >= 140_000 {
      values.append(("idle_session_timeout", "0"))
    }
    if let token { values.append((SessionCheck.variable, token)) }
    var parameters = Parameters()
    let calls = calls(values, isLocal: false, &parameters)
    parameters.append(Int64(connection.backend))
    let text =
      "SELECT \(calls) WHERE CAST(pg_catalog.pg_backend_pid() AS bigint) = $\(parameters.count)"
    return PostgreSQLCommand(text, parameters, isKept: false)
  }

  /// Sets everything for the open transaction alone. Whatever another client of a pooler has left in the session is of
  /// no importance then, and nothing is left for the next one.
  static func forTransaction(of connection: PostgreSQLConnection) -> PostgreSQLCommand {
    var parameters = Parameters()
    let calls = calls(common(connection), isLocal: true, &parameters)
    return PostgreSQLCommand("SELECT \(calls)", parameters, isKept: false)
  }

  private static func common(_ connection: PostgreSQLConnection) -> [(String, String)] {
    let schema = PostgreSQLNamespace.quoted(connection.namespace.schema)
    var values = [
      // For what others have put into the schema, as triggers: the store's own statements name it. The system's own
      // schema comes first by itself; that of temporary objects comes last.
      ("search_path", "\(schema), pg_temp"),
      // Warnings tell of a commit that did not wait for its standbys.
      ("client_min_messages", "warning"),
      ("statement_timeout", "0"),
      ("lock_timeout", String(lockTimeout(within: connection.timeout))),
      ("idle_in_transaction_session_timeout", "0"),
      // Compiling a statement to machine code pays off for minutes, not for milliseconds.
      ("jit", "off"),
    ]
    #if os(Linux)
    if PQserverVersion(connection.handle) >= 140_000 {
      // A server that works for a client that has gone stops.
      values.append(("client_connection_check_interval", "10000"))
    }
    #endif
    return values
  }

  private static func calls(
    _ values: [(String, String)], isLocal: Bool, _ parameters: inout Parameters
  ) -> String {
    var calls: [String] = []
    for (name, value) in values {
      parameters.append(value)
      calls.append("pg_catalog.set_config('\(name)', $\(parameters.count), \(isLocal))")
    }
    // A commit that is acknowledged before it is on the disk is none.
    calls.append(
      """
      CASE pg_catalog.current_setting('synchronous_commit') WHEN 'off' \
      THEN pg_catalog.set_config('synchronous_commit', 'on', \(isLocal)) END
      """)
    return calls.joined(separator: ", ")
  }
}
