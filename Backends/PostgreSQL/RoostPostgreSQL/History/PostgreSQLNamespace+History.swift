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

  /// Asks which history it is, for the highest number that was removed, and for the snapshot of the question. The
  /// number of the cluster belongs to the history: numbers of transactions mean nothing in another one.
  var readingHistoryState: PostgreSQLCommand {
    PostgreSQLCommand(
      """
      SELECT epoch, (SELECT system_identifier FROM pg_catalog.pg_control_system()), removed, \
      CAST(pg_catalog.pg_current_snapshot() AS text) FROM \(historyStateTable)
      """)
  }
}
