// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// The sessions that use a store that serves two versions.
///
/// Each program that has the store open registers anyway, whatever the version: by a lock of its session, or by a row
/// where sessions are shared (`StoreLease`). Sessions of the second version hold a second lock or row as well. So all
/// others are sessions of the old version, earlier releases of Roost among them, and opening a store of one version
/// costs nothing.
struct VersionSessions {
  let store: PostgreSQLStore

  /// Registers this session as one of the second version.
  ///
  /// - Returns: The store's version numbers, read after the registration.
  func enter() throws -> PostgreSQLResult {
    let format = store.opened.format.next
    let pool = store.pool
    guard pool.settings.pooler == .none else {
      // A read-only store has no row, because its user may lack the privilege to write one.
      return try pool.withConnection { connection in
        guard let lease = store.lease else {
          return try connection.run(connection.namespace.readingVersions)
        }
        var parameters = Parameters()
        parameters.append(lease.token)
        let text =
          "INSERT INTO \(connection.namespace.newSessionsTable) (token) VALUES ($1)"
          + " ON CONFLICT DO NOTHING"
        do {
          _ = try connection.runWriting([PostgreSQLCommand(text, parameters, isKept: false)])
        } catch let error as PostgreSQLError where error.isMissingTable {
          // The second version was abandoned, or has become the only one.
          throw StoreFormat.migratedElsewhere
        }
        return try connection.run(connection.namespace.readingVersions)
      }
    }
    pool.setGreeting { connection in
      StoreReading.lock(connection) + [Self.versionLock(format, connection)]
    }
    return try pool.withConnection { connection in
      try connection.run([
        Self.versionLock(format, connection), connection.namespace.readingVersions,
      ]).get()[1]
    }
  }

  private static func versionLock(
    _ format: StoreFormat, _ connection: PostgreSQLConnection
  ) -> PostgreSQLCommand {
    .once(
      """
      SELECT CASE WHEN pg_catalog.pg_backend_pid() = \(connection.backend) \
      THEN pg_catalog.pg_advisory_lock_shared(\(connection.namespace.newVersionLock(format))) END
      """)
  }

  /// Makes sure that no session of the old version is left. The server may need a short time for one that was just
  /// closed.
  ///
  /// - Throws: `storeBusy`, with a list of them.
  func waitForOld(_ connection: PostgreSQLConnection) throws {
    try wait { try refuseOld(connection) }
  }

  /// Makes sure that no session of the new version is left, as ``waitForOld(_:)`` does for the old one.
  ///
  /// - Throws: `storeBusy`, with a list of them.
  func waitForNew(_ connection: PostgreSQLConnection) throws {
    try wait { try refuseNew(connection) }
  }

  private func wait(_ body: () throws -> Void) throws {
    let deadline = Deadline(after: min(store.description.timeout, 1))
    while true {
      do {
        return try body()
      } catch let error as PersistenceError where error.code == .storeBusy {
        guard !deadline.isOver else { throw error }
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  /// Makes sure that no session of the old version is left.
  ///
  /// - Throws: `storeBusy`, with a list of them.
  func refuseOld(_ connection: PostgreSQLConnection) throws {
    let namespace = connection.namespace
    try refuse(
      "old",
      try connection.run([
        Self.oldSessions(namespace, store.opened.format.next), Self.oldLeases(namespace),
      ]).get())
  }

  /// Makes sure that no session of the new version is left.
  ///
  /// - Throws: `storeBusy`, with a list of them.
  func refuseNew(_ connection: PostgreSQLConnection) throws {
    let namespace = connection.namespace
    try refuse(
      "new",
      try connection.run([
        Self.newSessions(namespace, store.opened.format.next), Self.newLeases(namespace),
      ]).get())
  }

  private func refuse(_ version: String, _ results: [PostgreSQLResult]) throws {
    let sessions = (0..<results[0].count).map { row in
      "process \(results[0].text(row, 0) ?? "?") of “\(results[0].text(row, 1) ?? "")”, since "
        + (results[0].text(row, 2) ?? "an unknown time")
    }
    let leases = (0..<results[1].count).map { row in
      "a program behind a pooler, seen last at \(results[1].text(row, 0) ?? "an unknown time")"
    }
    let left = sessions + leases
    guard left.isEmpty else {
      throw PersistenceError(
        .storeBusy,
        "\(left.count) sessions of the \(version) version have the store open: "
          + left.prefix(20).joined(separator: "; ")
          + ". Try again when they are closed, or ignore them by ignoreOpenSessions(true).")
    }
  }

  /// The sessions that hold the lock of users, and not the lock of users of the second version.
  private static func oldSessions(
    _ namespace: PostgreSQLNamespace, _ format: StoreFormat
  ) -> PostgreSQLCommand {
    sessions(namespace, format, areNew: false)
  }

  /// The sessions that hold the lock of users of the second version.
  private static func newSessions(
    _ namespace: PostgreSQLNamespace, _ format: StoreFormat
  ) -> PostgreSQLCommand {
    sessions(namespace, format, areNew: true)
  }

  private static func sessions(
    _ namespace: PostgreSQLNamespace, _ format: StoreFormat, areNew: Bool
  ) -> PostgreSQLCommand {
    let table = "CAST(\(namespace.identity(of: namespace.metadataTable)) AS pg_catalog.oid)"
    let hash =
      "CAST(pg_catalog.hashtext(CAST(\(table) AS text) || '/\(format.number)') AS bigint) & 4294967295"
    let database =
      "(SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())"
    func lock(_ alias: String, _ space: Int32, _ object: String) -> String {
      "\(alias).locktype = 'advisory' AND \(alias).granted AND \(alias).database = \(database)"
        + " AND \(alias).objsubid = 2 AND CAST(\(alias).classid AS bigint) = \(space)"
        + " AND CAST(\(alias).objid AS bigint) = \(object)"
    }
    return .once(
      """
      SELECT CAST(l.pid AS text), a.application_name, CAST(a.backend_start AS text) \
      FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid \
      WHERE \(lock("l", PostgreSQLNamespace.lockSpace, "CAST(\(table) AS bigint)")) \
      AND \(areNew ? "" : "NOT ")EXISTS (SELECT 1 FROM pg_catalog.pg_locks o WHERE o.pid = l.pid \
      AND \(lock("o", PostgreSQLNamespace.versionLockSpace, hash))) ORDER BY a.backend_start
      """)
  }

  /// The rows of programs behind a pooler that use the second version.
  private static func newLeases(_ namespace: PostgreSQLNamespace) -> PostgreSQLCommand {
    .once(
      """
      SELECT CAST(s.renewed AS text) FROM \(namespace.sessionsTable) s \
      JOIN \(namespace.newSessionsTable) n ON n.token = s.token WHERE s.\(StoreLease.counts) \
      ORDER BY s.renewed
      """)
  }

  /// The rows of programs behind a pooler that do not use the second version.
  private static func oldLeases(_ namespace: PostgreSQLNamespace) -> PostgreSQLCommand {
    .once(
      """
      SELECT CAST(s.renewed AS text) FROM \(namespace.sessionsTable) s \
      WHERE s.\(StoreLease.counts) \
      AND NOT EXISTS (SELECT 1 FROM \(namespace.newSessionsTable) n WHERE n.token = s.token) \
      ORDER BY s.renewed
      """)
  }
}
