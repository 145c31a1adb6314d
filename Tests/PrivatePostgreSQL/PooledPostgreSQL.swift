// SPDX-License-Identifier: Apache-2.0

/// A PostgreSQL server of this process's own with PgBouncer before it: two sessions of the server for all clients in
/// transaction mode, and the same database in session mode.
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

  /// Shared by the tests, which use schemas of their own. nil where PostgreSQL or PgBouncer is not installed, which is
  /// said once.
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
