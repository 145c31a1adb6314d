// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

/// The history of a ``PostgreSQLStore``.
struct PostgreSQLHistory: StoreHistory {
  let store: PostgreSQLStore

  /// The state of the history as a whole, and the snapshot in which it was read.
  struct State {
    var epoch: Int64
    /// The highest number of a removed transaction; 0 for none.
    var removed: UInt64
    var snapshot: SnapshotText
    /// Whether the server is a replica, which may lag behind other servers.
    var isReplica: Bool

    init(_ result: PostgreSQLResult) throws {
      guard result.count == 1, let text = result.text(0, 3) else {
        throw PersistenceError(.corruptStore, "The store's history is damaged.")
      }
      epoch = result.integer(0, 0) ^ result.integer(0, 1)
      removed = UInt64(max(0, result.integer(0, 2)))
      let open = result.text(0, 4)
      isReplica = open != nil
      let snapshot = try SnapshotText(text)
      let listed = open?.split(separator: ",").compactMap { UInt64($0) } ?? snapshot.inProgress
      self.snapshot = SnapshotText(
        floor: snapshot.floor, ceiling: snapshot.ceiling, inProgress: listed)
    }

    /// The position of a reader that has read everything in the snapshot.
    var position: StorePosition {
      StorePosition(
        epoch: epoch,
        place: .snapshot(
          floor: snapshot.floor, ceiling: snapshot.ceiling, inProgress: snapshot.inProgress))
    }
  }

  func position() throws -> StorePosition {
    try reading { connection in
      try State(connection.run(connection.namespace.readingHistoryState)).position
    }
  }

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    try reaching(position) { isReached in
      try rows(after: position, limit: limit, isReached: isReached, Self.transaction)
    }
  }

  func step(after position: StorePosition?) throws -> HistoryStep? {
    let found = try reaching(position) { isReached in
      try rows(after: position, limit: 1, isReached: isReached) { result, row, _, position in
        HistoryStep(number: result.integer(row, 1), position: position)
      }
    }
    return found.first
  }

  /// Makes what is asked for of a row with the number and the content of a transaction, its time and its position.
  private typealias Making<Found> = (PostgreSQLResult, Int32, Double, StorePosition) throws -> Found

  private static func transaction(
    _ result: PostgreSQLResult, _ row: Int32, _ time: Double, _ position: StorePosition
  ) throws -> StoreTransaction {
    let number = result.integer(row, 1)
    return StoreTransaction(
      number: number, timestamp: time,
      content: try HistoryContent(bytes: result.data(row, 3), ofTransaction: number),
      position: position)
  }

  /// Returns the transactions after a position; nil if the server is a replica that may not have reached the
  /// position.
  ///
  /// - Parameter isReached: Whether the server is known to have reached it.
  private func rows<Found>(
    after position: StorePosition?, limit: Int?, isReached: Bool, _ make: Making<Found>
  ) throws -> [Found]? {
    try reading { connection in
      let namespace = connection.namespace
      let shown = try Self.shown(by: position)
      var commands = [
        namespace.readingHistoryState, try missing(shown, namespace),
        try later(
          "xid, seq, at, content", shown, "ORDER BY seq LIMIT $2",
          [limit.map { .integer(Int64($0)) } ?? .integer(.max)], namespace),
      ]
      if let limit {
        let last =
          "xid <= (SELECT pg_catalog.max(xid) FROM (SELECT xid FROM \(namespace.historyTable) "
          + "WHERE \(Self.isLater) ORDER BY seq LIMIT $2) AS first)"
        commands.append(
          try later(
            "xid", shown, "AND \(last) ORDER BY seq OFFSET $2", [.integer(Int64(limit))], namespace
          ))
      }
      for command in commands { store.log(command.text) }
      let results = try connection.runOnSnapshot(commands)
      let state = try State(results[0])
      if !isReached, let position, state.mayBeBehind(position, shown) { return nil }
      try check(position, shown, state, isMissing: results[1].isTrue())
      return try rows(
        of: results[2], leftOut: limit == nil ? nil : results[3], after: position, state, make)
    }
  }

  func transactions(afterTime time: Double, limit: Int?) throws -> [StoreTransaction] {
    try reading { connection in
      let table = connection.namespace.historyTable
      // Clocks of writers differ: all transactions from the first later one on are included.
      let start = "(SELECT pg_catalog.min(seq) FROM \(table) WHERE at > $1)"
      func command(_ text: String, _ values: [SQLValue] = []) throws -> PostgreSQLCommand {
        let command = try PostgreSQLCommand(text, [.real(time)] + values)
        store.log(command.text)
        return command
      }
      let results = try connection.runOnSnapshot([
        connection.namespace.readingHistoryState,
        try command("SELECT coalesce(pg_catalog.max(xid), 0) FROM \(table) WHERE seq < \(start)"),
        try command(
          "SELECT xid, seq, at, content FROM \(table) WHERE seq >= \(start) ORDER BY seq LIMIT $2",
          [.integer(limit.map(Int64.init) ?? .max)]),
        try command(
          "SELECT xid FROM \(table) WHERE seq >= \(start) ORDER BY seq OFFSET $2",
          [.integer(limit.map(Int64.init) ?? .max)]),
      ])
      let state = try State(results[0])
      // Every position of the answer is after the transactions passed over.
      let passed = UInt64(max(results[1].integer(), 0))
      let begin = StorePosition(
        epoch: state.epoch, place: .snapshot(floor: 3, ceiling: passed + 1, inProgress: []))
      return try rows(
        of: results[2], leftOut: results[3], after: begin, state, Self.transaction)
    }
  }

  private func rows<Found>(
    of result: PostgreSQLResult, leftOut: PostgreSQLResult?, after position: StorePosition?,
    _ state: State, _ make: Making<Found>
  ) throws -> [Found] {
    func numbers(_ result: PostgreSQLResult) -> [UInt64] {
      (0..<result.count).map { UInt64(bitPattern: result.integer($0, 0)) }
    }
    var positions = AnswerPositions(
      epoch: state.epoch, after: position, snapshot: state.snapshot,
      numbers: numbers(result) + (leftOut.map(numbers) ?? []))
    // Clocks of writers differ; the timestamps of an answer must not decrease.
    var time = -Double.infinity
    return try (0..<result.count).map { row in
      time = max(time, result.double(row, 2))
      return try make(
        result, row, time, positions.next(UInt64(bitPattern: result.integer(row, 0))))
    }
  }

  // MARK: - Conditions

  private static let isLater =
    "xid >= CAST(pg_catalog.split_part($1, ':', 1) AS bigint) AND NOT pg_catalog.pg_visible_in_snapshot("
    + "CAST(CAST(xid AS text) AS pg_catalog.xid8), CAST(CAST($1 AS text) AS pg_catalog.pg_snapshot))"

  /// Returns the snapshot of a position; nil without a position, for a reader that has seen nothing, or if it is not
  /// a snapshot.
  static func shown(by position: StorePosition?) throws -> SnapshotText? {
    guard let position else { return nil }
    guard case .snapshot(let floor, let ceiling, let inProgress) = position.place, floor > 0,
      ceiling <= UInt64(Int64.max)
    else { return nil }
    return SnapshotText(floor: floor, ceiling: ceiling, inProgress: inProgress)
  }

  func later(
    _ columns: String, _ shown: SnapshotText?, _ rest: String, _ values: [SQLValue],
    _ namespace: PostgreSQLNamespace
  ) throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      "SELECT \(columns) FROM \(namespace.historyTable) WHERE \(Self.isLater) \(rest)",
      [.text(shown?.text ?? Self.nothing)] + values)
  }

  /// The snapshot that shows no transaction: 3 is the first number that PostgreSQL assigns.
  private static let nothing = "3:3:"

  /// The range below the highest number of a removed transaction in which removed numbers are recorded.
  static let recentRange: Int64 = 4_096

  /// Returns a query for whether a transaction in progress in a snapshot was removed since. Below the recorded range,
  /// a committed transaction without a row counts as removed: a reader then starts again, perhaps needlessly, but
  /// misses no save.
  func missing(
    _ shown: SnapshotText?, _ namespace: PostgreSQLNamespace
  ) throws -> PostgreSQLCommand {
    let list = (shown?.inProgress ?? []).map { SQLValue.integer(Int64(bitPattern: $0)) }
    let status = "pg_catalog.pg_xact_status(CAST(CAST(number AS text) AS pg_catalog.xid8))"
    return try PostgreSQLCommand(
      """
      SELECT EXISTS (SELECT FROM pg_catalog.unnest($1) AS open (number), \
      \(namespace.historyStateTable) AS s WHERE number <= s.removed AND CASE \
      WHEN number > s.removed - \(Self.recentRange) THEN number = ANY (s.recent) \
      WHEN number <= s.removed THEN NOT EXISTS (SELECT FROM \(namespace.historyTable) AS h \
      WHERE h.xid = number) AND coalesce(\(status), 'committed') = 'committed' END)
      """, [.list(SQLList(list.isEmpty ? [.integer(.max)] : list))])
  }

  static func numbers(of result: PostgreSQLResult) -> [Int64] {
    (0..<result.count).map { result.integer($0, 0) }
  }

  func check(
    _ position: StorePosition?, _ shown: SnapshotText?, _ state: State, isMissing: Bool
  ) throws {
    guard let position else { return }
    guard position.epoch == state.epoch, let shown, shown.ceiling <= state.snapshot.ceiling,
      state.removed < shown.ceiling, !isMissing
    else { throw PersistenceError.historyExpired(store: store.identity.identifier) }
  }

  func reading<Result>(
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    try store.translating { try store.withReading(body) }
  }
}

extension PostgreSQLStore {
  package var history: (any StoreHistory)? {
    metadata.keepsHistory ? PostgreSQLHistory(store: self) : nil
  }
}
