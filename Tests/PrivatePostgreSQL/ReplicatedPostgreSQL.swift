// SPDX-License-Identifier: Apache-2.0

/// A PostgreSQL server of this process's own, and a streaming replica of it.
package final class ReplicatedPostgreSQL: Sendable {
  /// The server that is written.
  package let primaryURI: String
  /// The replica.
  package let replicaURI: String
  private let script: ServingScript

  private init() throws {
    script = try ServingScript(
      "fleet", ["serve", "--replicas", "1", "--shards", "0", "--no-bouncer"],
      lastVariable: "MULTIHOST_URL")
    primaryURI = script.variables["PRIMARY_URL"] ?? ""
    replicaURI = script.variables["REPLICA1_URL"] ?? ""
  }

  deinit {
    script.stop()
  }

  /// Shared by the tests, which use schemas of their own. nil where PostgreSQL is not installed, which is said once.
  package static let shared: ReplicatedPostgreSQL? = {
    do {
      return try ReplicatedPostgreSQL()
    } catch {
      precondition(
        !TestDatabase.isRequired || TestDatabase.isGiven,
        "ROOST_REQUIRE_POSTGRES is set, and there is no replica: \(error)")
      print("PostgreSQL is not installed: tests of replicas are left out.")
      return nil
    }
  }()
}
