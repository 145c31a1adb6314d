// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// The tables of saves over several stores: they are made with the first one, and empty in quiet times, but for the
// coordinators that can decide here.
extension PostgreSQLNamespace {
  /// How long registrations are kept that nobody takes away: a coordinator that is still there registers anew.
  private static let longestRegistration = "1 day"

  var makingPreparation: [PostgreSQLCommand] {
    [
      .once(
        """
        CREATE TABLE IF NOT EXISTS \(preparedTable) (save uuid PRIMARY KEY, part bytea NOT NULL, \
        at timestamp with time zone NOT NULL DEFAULT pg_catalog.clock_timestamp())
        """),
      .once(
        """
        CREATE TABLE IF NOT EXISTS \(decisionsTable) (save uuid PRIMARY KEY, \
        coordinator uuid NOT NULL, at double precision NOT NULL, decision bytea NOT NULL, \
        participants text[] COLLATE "C" NOT NULL, waiting text[] COLLATE "C" NOT NULL)
        """),
      .once(
        """
        CREATE TABLE IF NOT EXISTS \(coordinatorsTable) (coordinator uuid PRIMARY KEY, \
        ended boolean NOT NULL DEFAULT FALSE, \
        since timestamp with time zone NOT NULL DEFAULT pg_catalog.now())
        """),
      .once(
        """
        CREATE TABLE IF NOT EXISTS \(acknowledgedTable) (participant text COLLATE "C" PRIMARY KEY, \
        at double precision NOT NULL)
        """),
    ]
  }

  // MARK: - Parts

  /// Keeps what a part is about. It need not be on the disk before the transaction is that is prepared after it, and
  /// the server writes its log in order.
  func adding(_ part: PreparedPart) throws -> [PostgreSQLCommand] {
    [
      .begin, .once("SET LOCAL synchronous_commit = off"),
      try PostgreSQLCommand(
        "INSERT INTO \(preparedTable) (save, part) VALUES ($1, $2) ON CONFLICT (save) DO NOTHING",
        [.uuid(part.ticket.id.uuid), .blob(Data(part.bytes))]), .commit,
    ]
  }

  /// Asks for the parts whose transactions the server keeps.
  ///
  /// - Parameter prefix: What the names of the store's prepared transactions begin with.
  func readingParts(named prefix: String) throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      """
      SELECT p.part FROM \(preparedTable) AS p JOIN pg_catalog.pg_prepared_xacts AS x \
      ON x.gid = $1 || pg_catalog.upper(CAST(p.save AS text)) \
      AND x.database = pg_catalog.current_database() ORDER BY p.at, p.save
      """, [.text(prefix)])
  }

  /// Asks for the saves whose transactions were never prepared, as of programs that were killed in between.
  ///
  /// - Parameter prefix: What the names of the store's prepared transactions begin with.
  func readingLeftSaves(named prefix: String) throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      """
      SELECT CAST(p.save AS text) FROM \(preparedTable) AS p \
      WHERE p.at < pg_catalog.clock_timestamp() - interval '10 s' \
      AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_prepared_xacts AS x \
      WHERE x.gid = $1 || pg_catalog.upper(CAST(p.save AS text)) \
      AND x.database = pg_catalog.current_database())
      """, [.text(prefix)])
  }

  /// Removes what was kept of a part, and the row by which its transaction could be recognised.
  ///
  /// - Parameter keepsRow: Whether that row stays, since it keeps a slow server from preparing the transaction.
  func removingPart(_ save: SaveID, keepsRow: Bool) throws -> [PostgreSQLCommand] {
    let part = try PostgreSQLCommand(
      "DELETE FROM \(preparedTable) WHERE save = $1", [.uuid(save.uuid)])
    guard !keepsRow else { return [part] }
    return [
      part,
      try PostgreSQLCommand("DELETE FROM \(commitsTable) WHERE token = $1", [.uuid(save.uuid)]),
    ]
  }

  // MARK: - Decisions

  /// Begins the decider's transaction: a request that takes the coordinator's registration away waits for it from now
  /// on, since copying a large save takes long. Locks nothing when the coordinator is not registered.
  func beginningToDecide(_ save: SaveTicket) throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      "SELECT 1 FROM \(coordinatorsTable) WHERE coordinator = $1 AND NOT ended FOR SHARE",
      [.uuid(save.coordinator)])
  }

  /// Writes that a save is committed, as part of the decider's transaction: fails with a division by zero when its
  /// coordinator is not registered. A request that takes the registration away meanwhile waits for the transaction.
  func deciding(_ decision: RememberedDecision) throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      """
      WITH known AS (SELECT 1 FROM \(coordinatorsTable) WHERE coordinator = $3 \
      AND NOT ended FOR SHARE), judged AS (SELECT 1 / pg_catalog.count(*) AS one FROM known) \
      INSERT INTO \(decisionsTable) (save, coordinator, at, decision, participants, waiting) \
      SELECT $1, $3, $5, $2, $4, $4 FROM judged WHERE one = 1
      """,
      [
        .uuid(decision.ticket.id.uuid), .blob(Data(decision.bytes)),
        .uuid(decision.ticket.coordinator),
        .list(SQLList(decision.unacknowledged.map(SQLValue.text))),
        .real(decision.ticket.startedAt),
      ])
  }

  /// Asks for the decision on a save.
  func readingDecision(_ save: SaveID) throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      "SELECT decision FROM \(decisionsTable) WHERE save = $1", [.uuid(save.uuid)])
  }

  /// Asks for all decisions, each as often as participants have not taken note of it.
  var readingDecisions: PostgreSQLCommand {
    PostgreSQLCommand(
      """
      SELECT d.decision, w.participant FROM \(decisionsTable) AS d \
      LEFT JOIN LATERAL pg_catalog.unnest(d.waiting) AS w (participant) ON TRUE \
      ORDER BY d.save, w.participant
      """)
  }

  /// Takes down that participants have finished; a decision that all of them have taken note of is forgotten. All who
  /// do so take the saves in one order.
  func forgetting(_ acknowledged: [SaveAcknowledgement]) throws -> [PostgreSQLCommand] {
    try acknowledged.sorted { $0.save < $1.save }.flatMap { acknowledgement in
      let save = SQLValue.uuid(acknowledgement.save.uuid)
      return [
        // Once for all coordinators, and once for that of the save.
        try PostgreSQLCommand(
          """
          INSERT INTO \(acknowledgedTable) AS a (participant, at) \
          SELECT n.name, d.at FROM \(decisionsTable) AS d CROSS JOIN LATERAL (VALUES ($2), \
          ($2 || '/' || pg_catalog.upper(CAST(d.coordinator AS text)))) AS n (name) \
          WHERE d.save = $1 AND $2 = ANY (d.participants) \
          ON CONFLICT (participant) DO UPDATE SET at = greatest(a.at, excluded.at)
          """, [save, .text(acknowledgement.participant)]),
        try PostgreSQLCommand(
          "UPDATE \(decisionsTable) SET waiting = pg_catalog.array_remove(waiting, $2) "
            + "WHERE save = $1", [save, .text(acknowledgement.participant)]),
        try PostgreSQLCommand(
          "DELETE FROM \(decisionsTable) WHERE save = $1 AND waiting = '{}'", [save]),
      ]
    }
  }

  // MARK: - Coordinators

  func registering(_ coordinator: UUID) throws -> [PostgreSQLCommand] {
    let isOld = "since < pg_catalog.now() - interval '\(Self.longestRegistration)'"
    return [
      // One that is locked decides now, for which this does not wait.
      .once(
        """
        WITH old AS (SELECT coordinator FROM \(coordinatorsTable) WHERE \(isOld) \
        FOR UPDATE SKIP LOCKED), \
        gone AS (DELETE FROM \(coordinatorsTable) AS c USING old \
        WHERE c.coordinator = old.coordinator) \
        DELETE FROM \(acknowledgedTable) AS a USING old \
        WHERE a.participant LIKE '%/' || pg_catalog.upper(CAST(old.coordinator AS text))
        """),
      try PostgreSQLCommand(
        "INSERT INTO \(coordinatorsTable) (coordinator) VALUES ($1) ON CONFLICT DO NOTHING",
        [.uuid(coordinator)]), forgettingForeignDecisions,
    ]
  }

  /// Takes a registration away that has left nothing.
  func unregistering(_ coordinator: UUID) throws -> [PostgreSQLCommand] {
    [
      try PostgreSQLCommand(
        "DELETE FROM \(coordinatorsTable) WHERE coordinator = $1", [.uuid(coordinator)]),
      try PostgreSQLCommand(
        "DELETE FROM \(acknowledgedTable) WHERE participant LIKE $1",
        [.text("%/" + coordinator.uuidString)]), forgettingForeignDecisions,
    ]
  }

  /// Takes the registration of a coordinator away that may have left parts. Waits while it decides, and reads what it
  /// has decided on a save before that is forgotten with it.
  func ending(
    _ coordinator: UUID, readingDecisionOn save: SaveID
  ) throws -> [PostgreSQLCommand] {
    [
      try PostgreSQLCommand(
        "UPDATE \(coordinatorsTable) SET ended = TRUE, since = pg_catalog.now() "
          + "WHERE coordinator = $1 AND NOT ended", [.uuid(coordinator)]),
      try readingDecision(save), forgettingForeignDecisions,
    ]
  }

  /// Forgets the decisions that only their coordinators would ask for, where these are gone.
  private var forgettingForeignDecisions: PostgreSQLCommand {
    PostgreSQLCommand(
      """
      DELETE FROM \(decisionsTable) AS d WHERE d.waiting = '{}' AND NOT EXISTS \
      (SELECT 1 FROM \(coordinatorsTable) AS c WHERE c.coordinator = d.coordinator AND NOT c.ended)
      """)
  }

  /// Asks whether the coordinator of a save is registered, and when the last save began of whose decision a participant
  /// has taken note: of its own saves as long as it is known, else of all.
  func readingCoordinator(of save: SaveTicket, participant: String) throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      """
      SELECT coalesce(NOT c.ended, FALSE), a.at IS NOT NULL, coalesce(a.at, 0) \
      FROM (SELECT 1) AS one LEFT JOIN \(coordinatorsTable) AS c ON c.coordinator = $1 \
      LEFT JOIN \(acknowledgedTable) AS a \
      ON a.participant = CASE WHEN c.coordinator IS NULL THEN $2 ELSE $3 END
      """,
      [
        .uuid(save.coordinator), .text(participant),
        .text(save.acknowledgementName(of: participant)),
      ])
  }
}
