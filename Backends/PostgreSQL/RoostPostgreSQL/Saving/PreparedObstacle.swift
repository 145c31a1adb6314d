// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Detects saves that wait for a transaction that another save has prepared. The process that prepared it may have
/// been killed: then the lock is released only once the outcome is read from the deciding store (the coordinator), so
/// the save does not wait for the lock.
enum PreparedObstacle {
  /// Returns a watch that looks for such a transaction while a connection waits; nil where its session is not known to
  /// be its own, as behind a pooler.
  ///
  /// - Parameter companions: The other stores to which the save writes.
  static func watch(
    _ connection: PostgreSQLConnection, _ store: PostgreSQLStore, _ companions: [CompanionSave]
  ) -> LockWatch? {
    guard connection.pooler == .none, connection.sessionCheck == nil else { return nil }
    let question =
      companions.isEmpty
      ? store.preparing.question { asking(about: [store]) }
      : asking(about: [store] + companions.map(\.store))
    return LockWatch(question, timeout: store.pool.timeout)
  }

  private static func asking(about stores: [PostgreSQLStore]) -> LockQuestion {
    let (pool, prefixes) = (
      stores[0].pool, stores.map { PreparedTransaction.prefix(of: $0.identity) }
    )
    let patience = stores.map(\.preparing.patience)
    return LockQuestion { process, seconds in
      let age = patience.map(\.seconds).max() ?? 0
      // A check that fails is repeated, and in the end the server's lock time-out expires.
      return
        (try? pool.withSpareConnection(within: seconds) {
          try stands(before: process, prefixes, olderThan: age, $0)
        }) ?? false
    }
  }

  /// Returns whether a server process waits, directly or behind others, for a prepared transaction of at least a given
  /// age whose name has one of the prefixes.
  private static func stands(
    before process: Int32, _ prefixes: [String], olderThan age: Double,
    _ connection: PostgreSQLConnection
  ) throws -> Bool {
    var parameters = Parameters()
    parameters.append(Int64(process))
    parameters.append(Int64(age * 1_000))
    let names = prefixes.map { prefix in
      parameters.append(prefix)
      return "pg_catalog.starts_with(x.gid, $\(parameters.count))"
    }
    return try connection.run(
      PostgreSQLCommand(
        """
        WITH RECURSIVE ahead(process) AS (SELECT CAST($1 AS integer) UNION \
        SELECT pg_catalog.unnest(pg_catalog.pg_blocking_pids(process)) FROM ahead \
        WHERE process <> 0) \
        SELECT EXISTS (SELECT 1 FROM ahead JOIN pg_catalog.pg_locks AS l \
        ON l.pid = ahead.process AND NOT l.granted AND l.locktype = 'transactionid' \
        JOIN pg_catalog.pg_prepared_xacts AS x ON x.transaction = l.transactionid \
        WHERE x.prepared <= pg_catalog.clock_timestamp() \
        - CAST($2 AS bigint) * CAST('1 ms' AS interval) \
        AND (\(names.joined(separator: " OR "))))
        """, parameters, isKept: false)
    ).isTrue()
  }
}
