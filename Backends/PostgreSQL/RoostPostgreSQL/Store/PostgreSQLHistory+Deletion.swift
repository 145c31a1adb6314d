// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// Deletion of history transactions, and the bookmarks of the history's followers.
extension PostgreSQLHistory {
  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try writing { connection in
      let namespace = connection.namespace
      // A concurrent deletion waits here.
      let state = namespace.historyStateTable
      let known = try connection.run([
        .begin, .once("SELECT removed, \(Self.generation) FROM \(state) FOR UPDATE"),
        .once("SELECT pg_catalog.unnest(recent) FROM \(state)"),
      ]).get()
      guard deletion.generation == nil || deletion.generation == known[1].integer(0, 1) else {
        _ = try connection.run([.commit]).get()
        return .outdated
      }
      let command = try command(of: deletion, connection)
      store.log(command.text)
      let deleted = try connection.run(command)
      // The state keeps its generation, for other sessions that have counted.
      guard deleted.count > 0 else {
        _ = try connection.run([.commit]).get()
        return HistorySize()
      }
      let numbers = Self.numbers(of: deleted) + Self.numbers(of: known[2])
      let largest = numbers.max() ?? known[1].integer()
      let recent = numbers.filter { $0 > largest - Self.recentRange }.map(SQLValue.integer)
      let updated = try connection.run([
        try PostgreSQLCommand(
          "UPDATE \(state) SET removed = $1, recent = $2 RETURNING \(Self.generation)",
          [.integer(largest), .list(SQLList(recent))], isKept: false),
        .commit,
      ]).get()
      var removed = HistorySize()
      removed.generation = updated[0].integer()
      for row in 0..<deleted.count { removed.add(bytes: Int(deleted.integer(row, 1))) }
      return removed
    }
  }

  func size() throws -> HistorySize { try size(since: nil) }

  func size(since known: HistorySize?) throws -> HistorySize {
    // Not within the first reading: a pool may have one connection only.
    if let size = try counted(since: known) { return size }
    return try counted(since: nil) ?? HistorySize()
  }

  /// Returns the size; nil when an earlier one cannot be counted on from.
  private func counted(since known: HistorySize?) throws -> HistorySize? {
    try reading { connection -> HistorySize? in
      let namespace = connection.namespace
      let shown = try Self.shown(by: known?.position)
      let results = try connection.runOnSnapshot([
        namespace.readingHistoryState,
        .once("SELECT \(Self.generation) FROM \(namespace.historyStateTable)"),
        try later(
          "pg_catalog.count(*), "
            + "CAST(coalesce(pg_catalog.sum(pg_catalog.octet_length(content)), 0) AS bigint)",
          shown, "", [], namespace),
      ])
      let state = try State(results[0])
      var size = HistorySize()
      if let known, let shown {
        guard known.generation == results[1].integer(), known.position?.epoch == state.epoch,
          shown.ceiling <= state.snapshot.ceiling, !state.isReplica
        else { return nil }
        size = known
      }
      size.count += Int(results[2].integer(0, 0))
      size.bytes += Int(results[2].integer(0, 1))
      size.generation = results[1].integer()
      size.position = state.position
      return size
    }
  }

  /// The transaction that has written the state; each deletion that removes something writes it.
  private static let generation = "CAST(CAST(xmin AS text) AS bigint)"

  func bookmarks() throws -> HistoryBookmarks {
    try reading { connection in
      let table = connection.namespace.historyBookmarksTable
      // The table is made with the first bookmark.
      let name = PostgreSQLNamespace.literal(table)
      guard try connection.run(.once("SELECT pg_catalog.to_regclass(\(name)) IS NOT NULL")).isTrue()
      else { return HistoryBookmarks() }
      return Self.bookmarks(try connection.run(.once("SELECT content FROM \(table)")))
    }
  }

  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    try writing { connection in
      let table = connection.namespace.historyBookmarksTable
      let name = PostgreSQLNamespace.literal(table)
      // A concurrent change of the bookmarks waits here, even before the table exists.
      let found = try connection.run([
        .begin,
        .once("SELECT removed FROM \(connection.namespace.historyStateTable) FOR UPDATE"),
        .once("SELECT pg_catalog.to_regclass(\(name)) IS NOT NULL"),
      ]).get()
      let isThere = found[2].isTrue()
      let known =
        isThere
        ? Self.bookmarks(try connection.run(.once("SELECT content FROM \(table)")))
        : HistoryBookmarks()
      var changed = known
      try change(&changed)
      var commands: [PostgreSQLCommand] = []
      if changed != known {
        if !isThere {
          commands.append(
            .once(
              "CREATE TABLE \(table) (id smallint PRIMARY KEY CHECK (id = 1), "
                + "content bytea NOT NULL)"))
        }
        commands.append(
          try PostgreSQLCommand(
            "INSERT INTO \(table) VALUES (1, $1) "
              + "ON CONFLICT (id) DO UPDATE SET content = excluded.content",
            [.blob(Data(changed.bytes))], isKept: false))
      }
      _ = try connection.run(commands + [.commit]).get()
    }
  }

  private static func bookmarks(_ result: PostgreSQLResult) -> HistoryBookmarks {
    HistoryBookmarks(bytes: result.count == 1 ? result.data() : nil)
  }

  /// Runs a transaction that writes no history.
  private func writing<Result>(
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    try store.translating {
      guard !store.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      return try store.withConnection { connection in
        do {
          return try body(connection)
        } catch {
          try? connection.rollBack()
          throw error
        }
      }
    }
  }

  // MARK: - Statements

  private func command(
    of deletion: HistoryDeletion, _ connection: PostgreSQLConnection
  ) throws -> PostgreSQLCommand {
    let table = connection.namespace.historyTable
    var values: [SQLValue] = []
    var conditions: [String] = []
    let state = try State(connection.run(connection.namespace.readingHistoryState))
    switch deletion.bound {
    case .time(let time):
      values.append(.real(time))
      conditions.append("at < $1")
    case .position(let position):
      let shown = try Self.shown(by: position)
      let isMissing = try connection.run(missing(shown, connection.namespace)).isTrue()
      try check(position, shown, state, isMissing: isMissing)
      values.append(.text(shown?.text ?? ""))
      let isShown = Self.isShown(by: 1)
      conditions += [
        isShown, "seq < (SELECT pg_catalog.max(seq) FROM \(table) WHERE \(isShown))",
      ]
    }
    for reader in deletion.readers where reader.epoch == state.epoch {
      guard let shown = try Self.shown(by: reader) else { continue }
      values.append(.text(shown.text))
      conditions.append(Self.isShown(by: values.count))
    }
    let condition = conditions.joined(separator: " AND ")
    let result = "RETURNING xid, CAST(pg_catalog.octet_length(content) AS bigint)"
    guard deletion.limit != nil || deletion.byteLimit != nil else {
      return try PostgreSQLCommand(
        "DELETE FROM \(table) WHERE \(condition) \(result)", values, isKept: false)
    }
    values.append(.integer(Int64(deletion.limit ?? .max)))
    values.append(.integer(Int64(deletion.byteLimit ?? .max)))
    let first =
      "SELECT xid, seq, pg_catalog.octet_length(content) AS bytes FROM \(table) "
      + "WHERE \(condition) ORDER BY seq LIMIT $\(values.count - 1)"
    let sums =
      "SELECT xid, pg_catalog.sum(bytes) OVER (ORDER BY seq) - bytes AS before FROM (\(first)) AS first"
    return try PostgreSQLCommand(
      "DELETE FROM \(table) WHERE xid IN (SELECT xid FROM (\(sums)) AS sums "
        + "WHERE before < $\(values.count)) \(result)", values, isKept: false)
  }

  /// Returns the condition that the snapshot in a parameter includes a transaction.
  private static func isShown(by parameter: Int) -> String {
    "pg_catalog.pg_visible_in_snapshot(CAST(CAST(xid AS text) AS pg_catalog.xid8), "
      + "CAST(CAST($\(parameter) AS text) AS pg_catalog.pg_snapshot))"
  }
}
