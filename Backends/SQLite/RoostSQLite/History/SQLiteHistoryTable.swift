// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore
import Synchronization

/// The tables of a file's history: a row for each transaction, and one row that identifies the history and its last
/// deleted transaction. They are created when the store begins to keep a history.
enum SQLiteHistoryTable {
  static let definitions = [
    "CREATE TABLE IF NOT EXISTS _roost_history (number INTEGER PRIMARY KEY, at REAL NOT NULL, "
      + "digest INTEGER NOT NULL, content BLOB NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS _roost_history_state (id INTEGER PRIMARY KEY CHECK (id = 1), "
      + "epoch INTEGER NOT NULL, floor INTEGER NOT NULL, at REAL NOT NULL, "
      + "digest INTEGER NOT NULL) STRICT",
  ]

  /// Creates the tables, as part of the open transaction.
  static func make(_ connection: SQLiteConnection) throws {
    for definition in definitions { try connection.execute(definition) }
    let chain = HistoryChain.new()
    try connection.run(
      "INSERT INTO _roost_history_state VALUES (1, ?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
      [.integer(chain.epoch)] + values(of: chain.floor))
  }

  /// Returns whether the tables exist.
  static func isThere(_ connection: SQLiteConnection) throws -> Bool {
    try connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE name = '_roost_history_state'") == 1
  }

  /// Adds the transaction that is being written, unless it changes no record.
  ///
  /// - Returns: The position after it; nil when nothing was added.
  static func add(
    _ changes: StoreChangeSet, of schema: StoreSchema, epoch: KnownEpoch, log: StoreLog?,
    _ connection: SQLiteConnection
  ) throws -> StorePosition? {
    guard let content = try HistoryContent(changes, of: schema) else { return nil }
    let time = changes.notes?.time ?? Date.now.timeIntervalSinceReferenceDate
    let link = try (last(connection) ?? chain(connection).floor).next(content, at: time)
    log?.statement(insertion)
    try connection.withStatement(insertion) { statement in
      try statement.bind(values(of: link))
      try content.bytes.withUnsafeBytes { try statement.bind(bytes: $0, at: 4) }
      try statement.run()
    }
    let known = try epoch.value { try chain(connection).epoch }
    return HistoryChain(epoch: known, floor: .beginning).position(after: link)
  }

  private static let insertion = "INSERT INTO _roost_history VALUES (?1, ?2, ?3, ?4)"

  /// Returns the chain of the history: its epoch, its floor and its last transaction.
  static func chain(_ connection: SQLiteConnection) throws -> HistoryChain {
    let chain = try connection.withStatement(
      "SELECT floor, at, digest, epoch FROM _roost_history_state"
    ) { statement in
      try statement.step()
        ? HistoryChain(epoch: statement.integer(3), floor: link(statement)) : nil
    }
    guard var chain else {
      throw PersistenceError(.corruptStore, "The store's history is damaged.")
    }
    if let last = try last(connection) { chain.last = last }
    return chain
  }

  /// Returns the last transaction; nil when there is none.
  private static func last(_ connection: SQLiteConnection) throws -> HistoryLink? {
    let query = "SELECT number, at, digest FROM _roost_history ORDER BY number DESC LIMIT 1"
    return try connection.withStatement(query) { try $0.step() ? link($0) : nil }
  }

  /// Returns the digest of a transaction; nil when there is none.
  static func digest(of number: Int64, _ connection: SQLiteConnection) throws -> UInt64? {
    try connection.number(
      "SELECT digest FROM _roost_history WHERE number = ?1", [.integer(number)]
    ).map { UInt64(bitPattern: $0) }
  }

  /// Returns the time of a transaction; nil when there is none.
  static func time(of number: Int64, _ connection: SQLiteConnection) throws -> Double? {
    let query = "SELECT at FROM _roost_history WHERE number = ?1"
    return try connection.withStatement(query, [.integer(number)]) {
      try $0.step() ? $0.double(0) : nil
    }
  }

  /// Returns the first transaction after one, without its content; nil when there is none.
  static func next(after number: Int64, _ connection: SQLiteConnection) throws -> HistoryLink? {
    let query =
      "SELECT number, at, digest FROM _roost_history WHERE number > ?1 ORDER BY number LIMIT 1"
    return try connection.withStatement(query, [.integer(number)]) {
      try $0.step() ? link($0) : nil
    }
  }

  /// Returns the first transactions after one, in order.
  static func transactions(
    after number: Int64, limit: Int?, of chain: HistoryChain, _ connection: SQLiteConnection
  ) throws -> [StoreTransaction] {
    let query =
      "SELECT number, at, digest, content FROM _roost_history WHERE number > ?1 ORDER BY number "
      + "LIMIT ?2"
    let values: [SQLValue] = [.integer(number), .integer(limit.map(Int64.init) ?? -1)]
    return try connection.withStatement(query, values) { statement in
      var result: [StoreTransaction] = []
      while try statement.step() {
        let link = link(statement)
        result.append(
          StoreTransaction(
            number: link.number, timestamp: link.timestamp,
            content: try HistoryContent(
              bytes: Array(statement.blobBytes(3)), ofTransaction: link.number),
            position: chain.position(after: link)))
      }
      return result
    }
  }

  /// Returns the last of the leading transactions that are before a number and a time and that `takes` accepts; nil
  /// when there is none.
  ///
  /// - Parameter takes: Returns whether to include a transaction of that many bytes after the earlier ones.
  static func last(
    before number: Int64, _ time: Double, _ connection: SQLiteConnection,
    takes: (Int) throws -> Bool
  ) throws -> HistoryLink? {
    // Times never decrease, so the first transaction that is too late ends the range.
    let query =
      "SELECT number, at, digest, length(content) FROM _roost_history WHERE number < ?1 AND number < "
      + "coalesce((SELECT min(number) FROM _roost_history WHERE at >= ?2), ?1) ORDER BY number"
    return try connection.withStatement(query, [.integer(number), .real(time)]) { statement in
      var last: HistoryLink?
      while try statement.step(), try takes(Int(statement.integer(3))) { last = link(statement) }
      return last
    }
  }

  /// Removes the transactions up to one, as part of the open transaction.
  static func remove(upTo end: HistoryLink, _ connection: SQLiteConnection) throws {
    try connection.run("DELETE FROM _roost_history WHERE number <= ?1", [.integer(end.number)])
    try connection.run(
      "UPDATE _roost_history_state SET floor = ?1, at = ?2, digest = ?3", values(of: end))
  }

  /// Adds the transactions after one to a size.
  static func add(
    after number: Int64, to size: inout HistorySize, _ connection: SQLiteConnection
  ) throws {
    let query =
      "SELECT count(*), coalesce(sum(length(content)), 0) FROM _roost_history WHERE number > ?1"
    let found = try connection.withStatement(query, [.integer(number)]) { statement in
      _ = try statement.step()
      return HistorySize(count: Int(statement.integer(0)), bytes: Int(statement.integer(1)))
    }
    size.count += found.count
    size.bytes += found.bytes
  }

  /// Reads the bookmarks of the history's followers; their table is created with the first one.
  static func bookmarks(_ connection: SQLiteConnection) throws -> HistoryBookmarks {
    let isThere =
      try connection.number(
        "SELECT count(*) FROM sqlite_schema WHERE name = '_roost_history_bookmarks'") == 1
    guard isThere else { return HistoryBookmarks() }
    return try connection.withStatement("SELECT content FROM _roost_history_bookmarks") {
      HistoryBookmarks(bytes: try $0.step() ? Array($0.blobBytes(0)) : nil)
    }
  }

  /// Writes the bookmarks, as part of the open transaction.
  static func write(_ bookmarks: HistoryBookmarks, _ connection: SQLiteConnection) throws {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS _roost_history_bookmarks "
        + "(id INTEGER PRIMARY KEY CHECK (id = 1), content BLOB NOT NULL) STRICT")
    try connection.run(
      "INSERT INTO _roost_history_bookmarks VALUES (1, ?1) "
        + "ON CONFLICT (id) DO UPDATE SET content = excluded.content",
      [.blob(Data(bookmarks.bytes))])
  }

  private static func link(_ statement: SQLiteStatement) -> HistoryLink {
    HistoryLink(
      number: statement.integer(0), timestamp: statement.double(1),
      digest: UInt64(bitPattern: statement.integer(2)))
  }

  private static func values(of link: HistoryLink) -> [SQLValue] {
    [.integer(link.number), .real(link.timestamp), .integer(Int64(bitPattern: link.digest))]
  }
}

/// The epoch of a file's history, which is read once: it does not change while the file is open.
final class KnownEpoch: Sendable {
  private let number = Atomic<Int64>(0)

  /// Returns the epoch, and reads it at first use.
  func value(_ read: () throws -> Int64) rethrows -> Int64 {
    let known = number.load(ordering: .relaxed)
    if known != 0 { return known }
    let found = try read()
    number.store(found, ordering: .relaxed)
    return found
  }
}
