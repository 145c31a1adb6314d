// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// The tables of a history. Transactions become visible in another order than any number is drawn in, so a reader keeps
// a snapshot: what comes later is what that does not show. The number of the transaction is the key; the sequence is
// drawn by the last statement of a save, after the locks of its records, so it orders changes of one record.
extension PostgreSQLNamespace {
  /// Makes the tables, as part of the open transaction.
  var makingHistory: [PostgreSQLCommand] {
    let epoch = Int64.random(in: 1 ... .max)
    return [
      .once(
        """
        CREATE TABLE IF NOT EXISTS \(historyTable) (xid bigint PRIMARY KEY DEFAULT \
        \(Self.transaction), seq bigint GENERATED ALWAYS AS IDENTITY, \
        at double precision NOT NULL, content bytea NOT NULL)
        """),
      .once(
        """
        CREATE TABLE IF NOT EXISTS \(historyStateTable) (id smallint PRIMARY KEY CHECK (id = 1), \
        epoch bigint NOT NULL, removed bigint NOT NULL, recent bigint[] NOT NULL)
        """),
      .once(
        "INSERT INTO \(historyStateTable) VALUES (1, \(epoch), 0, '{}') ON CONFLICT DO NOTHING"),
    ]
  }

  /// Adds the open transaction; nothing when it changes no record.
  func addingToHistory(
    _ changes: StoreChangeSet, of schema: StoreSchema
  ) throws -> [PostgreSQLCommand] {
    guard let content = try HistoryContent(changes, of: schema) else { return [] }
    let time = changes.notes?.time ?? Date.now.timeIntervalSinceReferenceDate
    var parameters = Parameters(capacity: 32 + content.bytes.count)
    try parameters.append(.real(time))
    try parameters.append(.blob(Data(content.bytes)))
    return [
      PostgreSQLCommand("INSERT INTO \(historyTable) (at, content) VALUES ($1, $2)", parameters)
    ]
  }

  /// Asks which history it is, for the highest number that was removed, for the snapshot of the question, and whether
  /// the server is a replica. The number of the cluster belongs to the history: numbers of transactions mean nothing in
  /// another one.
  ///
  /// The snapshot of a replica does not list what is in progress. What a reader of the history has not seen there is
  /// every number between its bounds of which no transaction is shown, but for those that were rolled back, and those
  /// that were seen and removed.
  var readingHistoryState: PostgreSQLCommand {
    let snapshot = "pg_catalog.pg_current_snapshot()"
    func bound(_ name: String) -> String {
      "CAST(CAST(pg_catalog.\(name)(\(snapshot)) AS text) AS bigint)"
    }
    let status = "pg_catalog.pg_xact_status(CAST(CAST(number AS text) AS pg_catalog.xid8))"
    return PostgreSQLCommand(
      """
      SELECT epoch, (SELECT system_identifier FROM pg_catalog.pg_control_system()), removed, \
      CAST(\(snapshot) AS text), CASE WHEN pg_catalog.pg_is_in_recovery() THEN (SELECT \
      coalesce(pg_catalog.string_agg(CAST(number AS text), ',' ORDER BY number), '') FROM \
      pg_catalog.generate_series(\(bound("pg_snapshot_xmin")), \(bound("pg_snapshot_xmax")) - 1) \
      AS open (number) WHERE coalesce(\(status), '') <> 'aborted' \
      AND number <> ALL (recent) AND NOT EXISTS \
      (SELECT FROM \(historyTable) AS h WHERE h.xid = number)) END FROM \(historyStateTable)
      """)
  }

  /// Asks whether a replica shows everything that a snapshot shows: whether nothing that it shows is still in progress
  /// here. What is asked in a later snapshot than that of the question is answered with it.
  func reaching(_ shown: SnapshotText) throws -> PostgreSQLCommand {
    let snapshot = "pg_catalog.pg_current_snapshot()"
    let floor = "CAST(CAST(pg_catalog.pg_snapshot_xmin(\(snapshot)) AS text) AS bigint)"
    let open = shown.inProgress.map { SQLValue.integer(Int64(bitPattern: $0)) }
    return try PostgreSQLCommand(
      """
      SELECT CAST(CAST(pg_catalog.pg_snapshot_xmax(\(snapshot)) AS text) AS bigint) >= $1 \
      AND NOT EXISTS (SELECT FROM pg_catalog.generate_series(\(floor), $1 - 1) AS open (number) \
      WHERE number <> ALL ($2) AND pg_catalog.pg_xact_status( \
      CAST(CAST(number AS text) AS pg_catalog.xid8)) = 'in progress')
      """,
      [
        .integer(Int64(bitPattern: shown.ceiling)),
        .list(SQLList(open.isEmpty ? [.integer(.max)] : open)),
      ])
  }
}
