// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// Writes the words of texts into an index, in the open transaction. One text is in memory at a time.
struct WordWriter {
  private let table: WordTable
  private let connection: SQLiteConnection

  /// The number of bytes of texts that one portion indexes.
  private static let portion = 4 << 20

  init(_ table: WordTable, _ connection: SQLiteConnection) {
    self.table = table
    self.connection = connection
  }

  /// Indexes the records that were noted since.
  ///
  /// - Parameter limit: The number of bytes of texts after which it ends.
  /// - Returns: Whether there were any.
  @discardableResult
  func writeNoted(limit: Int = .max) throws -> Bool {
    let key = SQLDialect.sqlite.quoted(SQLTable.key)
    let noted = """
      SELECT n.key, t.\(SQLDialect.sqlite.quoted(table.column)) FROM \(table.notes) AS n \
      LEFT JOIN \(SQLDialect.sqlite.quoted(table.table)) AS t ON t.\(key) = n.key ORDER BY n.key
      """
    guard let end = try write(noted, [], limit: limit) else { return false }
    try connection.run("DELETE FROM \(table.notes) WHERE key <= ?1", [.integer(end.key)])
    return true
  }

  /// Indexes a portion of what is not indexed: the records that were there when the index was declared, then those
  /// that were noted since.
  ///
  /// - Returns: Whether something may be left; false also when another program has removed the index.
  func writePortion() throws -> Bool {
    let current = "SELECT coalesce(position, -1) FROM \(WordTables.registry) WHERE id = ?1"
    guard let position = try connection.number(current, [.integer(table.id)]) else { return false }
    guard position >= 0 else { return try writeNoted(limit: Self.portion) }
    let (key, text) = (
      SQLDialect.sqlite.quoted(SQLTable.key), SQLDialect.sqlite.quoted(table.column)
    )
    let texts = """
      SELECT \(key), \(text) FROM \(SQLDialect.sqlite.quoted(table.table)) \
      WHERE \(key) > ?1 AND \(text) IS NOT NULL ORDER BY \(key)
      """
    let end = try write(texts, [.integer(position)], limit: Self.portion)
    let next: SQLValue = end.map { $0.isLast ? .null : .integer($0.key) } ?? .null
    try connection.run(
      "UPDATE \(WordTables.registry) SET position = ?2 WHERE id = ?1", [.integer(table.id), next])
    return true
  }

  /// Indexes the texts that a query reads: keys, and texts or nulls.
  ///
  /// - Returns: The last key, and whether the query had no more; nil when it had none.
  private func write(
    _ query: String, _ values: [SQLValue], limit: Int
  ) throws -> (key: Int64, isLast: Bool)? {
    try connection.withStatement(query, values) { statement in
      var last: Int64?
      var bytes = 0
      while try statement.step() {
        if let last, bytes >= limit { return (last, false) }
        let key = statement.integer(0)
        let text = statement.isNull(1) ? nil : statement.textBytes(1)
        try write(text.map { String(decoding: $0, as: UTF8.self) }, of: key)
        // A record without a text counts as well.
        bytes += 64 + (text?.count ?? 0)
        last = key
      }
      return last.map { ($0, true) }
    }
  }

  private func write(_ text: String?, of key: Int64) throws {
    let words = text.map(SearchWords.init(of:))
    guard let words, !words.isEmpty else {
      return try connection.run("DELETE FROM \(table.name) WHERE rowid = ?1", [.integer(key)])
    }
    var bytes: [UInt8] = []
    for position in words.indices {
      if position > 0 { bytes.append(UInt8(ascii: " ")) }
      bytes.append(contentsOf: words.utf8(position))
    }
    let insertion = "INSERT OR REPLACE INTO \(table.name) (rowid, words) VALUES (?1, ?2)"
    try connection.withStatement(insertion) { statement in
      try statement.bind(key, at: 1)
      try bytes.withUnsafeBufferPointer { try statement.bind(text: $0, at: 2, in: nil) }
      try statement.run()
    }
  }
}
