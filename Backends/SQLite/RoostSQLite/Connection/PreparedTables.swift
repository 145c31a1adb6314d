// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// The tables for a file's parts of saves over several stores, and for its decisions on them. They are created with
/// the first such save, and are usually empty, except for the coordinators that have the store open.
enum PreparedTables {
  /// The version of the store's own tables from which on these exist. A Roost that does not know them would overwrite
  /// prepared parts, and refuses the file.
  static let formatVersion: Int64 = 2
  /// The maximum age of a registration that was not removed, in seconds: a coordinator that still exists after that
  /// registers again.
  private static let longestRegistration = 86_400.0

  private static let definitions = [
    "CREATE TABLE IF NOT EXISTS _roost_prepared (save BLOB PRIMARY KEY, part BLOB NOT NULL, "
      + "changes BLOB NOT NULL, at REAL NOT NULL) WITHOUT ROWID, STRICT",
    "CREATE TABLE IF NOT EXISTS _roost_decisions (save BLOB PRIMARY KEY, decision BLOB NOT NULL) "
      + "WITHOUT ROWID, STRICT",
    "CREATE TABLE IF NOT EXISTS _roost_coordinators (coordinator BLOB PRIMARY KEY, "
      + "since REAL NOT NULL) WITHOUT ROWID, STRICT",
    "CREATE TABLE IF NOT EXISTS _roost_acknowledged (participant TEXT PRIMARY KEY, "
      + "at REAL NOT NULL) WITHOUT ROWID, STRICT",
  ]

  /// Creates the missing tables, as part of the open transaction.
  static func make(_ connection: SQLiteConnection) throws {
    guard !connection.keepsPrepared,
      let format = try connection.number(SQLiteFile.readingFormat).map(StoreFormat.init)
    else { return }
    for definition in definitions { try connection.execute(definition) }
    try SQLiteFile.writeFormat(format.with(version: formatVersion), connection)
    connection.keepsPrepared = true
  }

  // MARK: - Parts

  /// Stores a part.
  static func add(
    _ part: PreparedPart, _ changes: [UInt8], _ connection: SQLiteConnection
  ) throws {
    try make(connection)
    try connection.withStatement("INSERT INTO _roost_prepared VALUES (?1, ?2, ?3, ?4)") {
      statement in
      try statement.bind(Data(of: part.ticket.id.uuid), at: 1)
      try statement.bind(Data(part.bytes), at: 2)
      try changes.withUnsafeBytes { try statement.bind(bytes: $0, at: 3) }
      try statement.bind(part.ticket.startedAt, at: 4)
      try statement.run()
    }
  }

  /// Returns whether there is no part: every transaction that writes records calls this. Without the tables it costs
  /// nothing.
  static func isEmpty(_ connection: SQLiteConnection) throws -> Bool {
    guard connection.keepsPrepared else { return true }
    return try connection.number("SELECT 1 FROM _roost_prepared LIMIT 1") == nil
  }

  /// Returns the parts, the oldest first.
  static func parts(_ connection: SQLiteConnection) throws -> [PreparedPart] {
    guard connection.keepsPrepared else { return [] }
    return try connection.withStatement("SELECT part FROM _roost_prepared ORDER BY at, save") {
      statement in
      var parts: [PreparedPart] = []
      while try statement.step() {
        parts.append(try PreparedPart(bytes: Array(statement.blobBytes(0))))
      }
      return parts
    }
  }

  /// Returns the changes of a part; nil when the save has none.
  static func changes(of save: SaveID, _ connection: SQLiteConnection) throws -> [UInt8]? {
    guard connection.keepsPrepared else { return nil }
    return try connection.withStatement(
      "SELECT changes FROM _roost_prepared WHERE save = ?1", [.blob(Data(of: save.uuid))]
    ) { try $0.step() ? Array($0.blobBytes(0)) : nil }
  }

  /// Removes a part.
  static func remove(_ save: SaveID, _ connection: SQLiteConnection) throws {
    try connection.run(
      "DELETE FROM _roost_prepared WHERE save = ?1", [.blob(Data(of: save.uuid))])
  }

  // MARK: - Decisions

  /// Stores the decision that a save is committed.
  static func add(_ decision: RememberedDecision, _ connection: SQLiteConnection) throws {
    try connection.run(
      "INSERT INTO _roost_decisions VALUES (?1, ?2) "
        + "ON CONFLICT (save) DO UPDATE SET decision = excluded.decision",
      [.blob(Data(of: decision.ticket.id.uuid)), .blob(Data(decision.bytes))])
  }

  /// Returns the stored decisions.
  static func decisions(_ connection: SQLiteConnection) throws -> [RememberedDecision] {
    guard connection.keepsPrepared else { return [] }
    return try connection.withStatement("SELECT decision FROM _roost_decisions") { statement in
      var decisions: [RememberedDecision] = []
      while try statement.step() {
        decisions.append(try RememberedDecision(bytes: Array(statement.blobBytes(0))))
      }
      return decisions
    }
  }

  /// Returns the decision on a save; nil when none is stored.
  private static func decision(
    on save: SaveID, _ connection: SQLiteConnection
  ) throws -> RememberedDecision? {
    guard connection.keepsPrepared else { return nil }
    return try connection.withStatement(
      "SELECT decision FROM _roost_decisions WHERE save = ?1", [.blob(Data(of: save.uuid))]
    ) { try $0.step() ? RememberedDecision(bytes: Array($0.blobBytes(0))) : nil }
  }

  /// Returns the outcome of a save, as far as this file knows it.
  static func decision(
    on save: SaveTicket, for participant: String, _ connection: SQLiteConnection
  ) throws -> Decision {
    if try decision(on: save.id, connection) != nil { return .committed }
    guard connection.keepsPrepared else { return .aborted }
    let isKnown =
      try connection.number(
        "SELECT 1 FROM _roost_coordinators WHERE coordinator = ?1",
        [.blob(Data(of: save.coordinator))]) != nil
    let name = isKnown ? save.acknowledgementName(of: participant) : participant
    let acknowledged = try connection.withStatement(
      "SELECT at FROM _roost_acknowledged WHERE participant = ?1", [.text(name)]
    ) { try $0.step() ? $0.double(0) : nil }
    return save.decision(
      acknowledged: acknowledged, isRegistered: try isRegistered(save.coordinator, connection))
  }

  /// Records that participants have finished; a decision that all of them have acknowledged is removed.
  static func forget(
    _ acknowledged: [SaveAcknowledgement], _ connection: SQLiteConnection
  ) throws {
    for acknowledgement in acknowledged {
      guard var decision = try decision(on: acknowledgement.save, connection) else { continue }
      let (ticket, participant) = (decision.ticket, acknowledgement.participant)
      if ticket.participants.contains(participant) {
        for name in [participant, ticket.acknowledgementName(of: participant)] {
          try connection.run(
            "INSERT INTO _roost_acknowledged VALUES (?1, ?2) "
              + "ON CONFLICT (participant) DO UPDATE SET at = max(at, excluded.at)",
            [.text(name), .real(ticket.startedAt)])
        }
      }
      decision.unacknowledged.removeAll { $0 == acknowledgement.participant }
      if decision.unacknowledged.isEmpty {
        try connection.run(
          "DELETE FROM _roost_decisions WHERE save = ?1",
          [.blob(Data(of: acknowledgement.save.uuid))])
      } else {
        try add(decision, connection)
      }
    }
  }

  // MARK: - Coordinators

  static func isRegistered(_ coordinator: UUID, _ connection: SQLiteConnection) throws -> Bool {
    guard connection.keepsPrepared else { return false }
    return try connection.number(
      "SELECT 1 FROM _roost_coordinators WHERE coordinator = ?1 AND since >= 0",
      [.blob(Data(of: coordinator))]) != nil
  }

  static func register(_ coordinator: UUID, _ connection: SQLiteConnection) throws {
    try make(connection)
    let now = Date.now.timeIntervalSinceReferenceDate
    for old in try coordinators(before: now - longestRegistration, connection) {
      try unregister(old, connection)
    }
    try connection.run(
      "INSERT INTO _roost_coordinators VALUES (?1, ?2) ON CONFLICT DO NOTHING",
      [.blob(Data(of: coordinator)), .real(now)])
    try forgetForeignDecisions(connection)
  }

  /// Returns the coordinators that were registered, or unregistered, before a time.
  private static func coordinators(
    before time: Double, _ connection: SQLiteConnection
  ) throws -> [UUID] {
    try connection.withStatement(
      "SELECT coordinator FROM _roost_coordinators WHERE abs(since) < ?1", [.real(time)]
    ) { statement in
      var found: [UUID] = []
      while try statement.step() {
        let bytes = Array(statement.blobBytes(0))
        guard bytes.count == 16 else { continue }
        found.append(
          bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
      }
      return found
    }
  }

  static func unregister(_ coordinator: UUID, _ connection: SQLiteConnection) throws {
    guard connection.keepsPrepared else { return }
    try connection.run(
      "DELETE FROM _roost_acknowledged WHERE participant LIKE ?1",
      [.text("%/\(coordinator.uuidString)")])
    try connection.run(
      "DELETE FROM _roost_coordinators WHERE coordinator = ?1", [.blob(Data(of: coordinator))])
    try forgetForeignDecisions(connection)
  }

  /// Removes the registration of a coordinator that may have left parts: a negative number records the time at which
  /// it ended.
  static func end(_ coordinator: UUID, _ connection: SQLiteConnection) throws {
    guard connection.keepsPrepared else { return }
    try connection.run(
      "UPDATE _roost_coordinators SET since = ?2 WHERE coordinator = ?1 AND since >= 0",
      [.blob(Data(of: coordinator)), .real(-Date.now.timeIntervalSinceReferenceDate)])
    try forgetForeignDecisions(connection)
  }

  /// Removes the decisions that only their coordinators would ask for, if these are gone.
  private static func forgetForeignDecisions(_ connection: SQLiteConnection) throws {
    for decision in try decisions(connection)
    where try decision.unacknowledged.isEmpty
      && !isRegistered(decision.ticket.coordinator, connection)
    {
      try connection.run(
        "DELETE FROM _roost_decisions WHERE save = ?1",
        [.blob(Data(of: decision.ticket.id.uuid))])
    }
  }
}

extension Data {
  /// The bytes of a UUID.
  fileprivate init(of id: UUID) {
    self = Swift.withUnsafeBytes(of: id.uuid) { Data($0) }
  }
}
