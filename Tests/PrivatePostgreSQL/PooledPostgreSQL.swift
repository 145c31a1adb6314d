// SPDX-License-Identifier: Apache-2.0

/// A private PostgreSQL server behind PgBouncer: two server connections for all clients in transaction mode, and the
/// same database in session mode.
package final class PooledPostgreSQL: Sendable {
  /// The server itself.
  package let serverURI: String
  /// The pooler in transaction mode.
  package let transactionURI: String
  /// The pooler in session mode.
  package let sessionURI: String
  private let script: ServingScript

  private init() throws {
    script = try ServingScript(
      "fleet", ["serve", "--replicas", "0", "--shards", "0", "--pool-size", "2"],
      lastVariable: "MULTIHOST_URL")
    serverURI = script.variables["PRIMARY_URL"] ?? ""
    transactionURI = script.variables["BOUNCER_URL"] ?? ""
    sessionURI = script.variables["BOUNCER_SESSION_URL"] ?? ""
  }

  deinit {
    script.stop()
  }

  /// The server that tests share, each with its own schema. nil where PostgreSQL or PgBouncer is not installed; a
  /// message is printed once.
  package static let shared: PooledPostgreSQL? = {
    do {
      return try PooledPostgreSQL()
    } catch {
      precondition(
        !TestDatabase.isRequired || TestDatabase.isGiven,
        "ROOST_REQUIRE_POSTGRES is set, and there is no pooler: \(error)")
      print("PgBouncer and PostgreSQL are not both installed: tests of poolers are left out.")
      return nil
    }
  }()
}
