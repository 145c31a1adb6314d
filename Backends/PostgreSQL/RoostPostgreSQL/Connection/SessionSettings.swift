// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel

/// The session settings on which results, durability and deadlines depend, whatever the configuration of the server.
enum SessionSettings {
  /// The lock time-out in milliseconds: it must expire before the server counts as silent.
  static func lockTimeout(within seconds: Double) -> Int {
    max(1, Int(min(seconds * 800, 2_000_000_000)))
  }

  /// Sets everything for the session, if it is still that of the server process that the connection knows. In another
  /// session the result has no row, and nothing is set.
  ///
  /// - Parameter token: Identifies the session later; nil where that is not needed.
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

  /// Sets everything for the open transaction alone. The settings that another client of a pooler has left in the
  /// session have no effect then, and nothing is left for the next client.
  static func forTransaction(of connection: PostgreSQLConnection) -> PostgreSQLCommand {
    var parameters = Parameters()
    let calls = calls(common(connection), isLocal: true, &parameters)
    return PostgreSQLCommand("SELECT \(calls)", parameters, isKept: false)
  }

  private static func common(_ connection: PostgreSQLConnection) -> [(String, String)] {
    let schema = PostgreSQLNamespace.quoted(connection.namespace.schema)
    var values = [
      // For objects that others have put into the schema, such as triggers: the store's own statements qualify their
      // names. `pg_catalog` comes first implicitly; the schema of temporary objects comes last.
      ("search_path", "\(schema), pg_temp"),
      // A warning reports a commit that did not wait for its standbys.
      ("client_min_messages", "warning"),
      ("statement_timeout", "0"),
      ("lock_timeout", String(lockTimeout(within: connection.timeout))),
      ("idle_in_transaction_session_timeout", "0"),
      // Compiling a statement to machine code pays off for minutes, not for milliseconds.
      ("jit", "off"),
      // Above this number of records, an index of words would answer with a random part of them.
      ("gin_fuzzy_search_limit", "0"),
    ]
    #if os(Linux)
    if PQserverVersion(connection.handle) >= 140_000 {
      // The server stops working for a client that has disconnected.
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
    // A commit that is acknowledged before it is on the disk is not durable.
    calls.append(
      """
      CASE pg_catalog.current_setting('synchronous_commit') WHEN 'off' \
      THEN pg_catalog.set_config('synchronous_commit', 'on', \(isLocal)) END
      """)
    return calls.joined(separator: ", ")
  }
}
