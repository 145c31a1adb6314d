// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// Writes the words of texts into an index, in transactions of its own. The texts of one portion are in memory at a
/// time.
///
/// One program writes an index at a time: it has the row of the index locked. A record whose text is changed meanwhile
/// is noted again: the program that changes it waits for the note that this one has taken, and the other way round
/// the note of a change that is not committed is left for the next time.
struct WordWriter {
  private let table: WordTable
  private let dialect: SQLDialect
  private let connection: PostgreSQLConnection

  /// The number of texts, and of their bytes, that one portion indexes.
  private static let portion = (count: 256, bytes: 4 << 20)

  init(_ table: WordTable, _ dialect: SQLDialect, _ connection: PostgreSQLConnection) {
    self.table = table
    self.dialect = dialect
    self.connection = connection
  }

  private var key: String { dialect.quoted(SQLTable.key) }
  private var text: String { dialect.quoted(table.column) }
  private var place: String { dialect.qualified(table.table) }
  private var notes: String { dialect.qualified(table.notes) }
  private var words: String { dialect.qualified(table.name) }
  private var registry: String { dialect.qualified(WordTable.registry) }

  /// Indexes a portion of what is not indexed: the records that were there when the index was declared, then those
  /// that were noted since.
  ///
  /// - Returns: Whether something may be left; false also when another program indexes.
  func writePortion() throws -> Bool {
    do {
      let locked = try connection.run([
        .begin,
        .once(
          "SELECT coalesce(position, -1) FROM \(registry) WHERE id = \(table.id) "
            + "FOR UPDATE SKIP LOCKED"),
      ]).get()[1]
      var isLeft = false
      if locked.count == 1 {
        isLeft = try locked.integer() < 0 ? writeNoted() : build(after: locked.integer())
      }
      try connection.run(.commit)
      return isLeft
    } catch {
      try? connection.rollBack()
      throw error
    }
  }

  private func build(after position: Int64) throws -> Bool {
    let found = try connection.run(
      try PostgreSQLCommand(
        "SELECT \(key), CAST(octet_length(\(text)) AS bigint) FROM \(place) WHERE \(key) > $1"
          + " AND \(text) IS NOT NULL ORDER BY \(key) LIMIT \(Self.portion.count)",
        [.integer(position)], isKept: false))
    let keys = Self.portion(of: found)
    try write(keys)
    let next = keys.last.map(String.init) ?? "NULL"
    try connection.run(
      .once("UPDATE \(registry) SET position = \(next) WHERE id = \(table.id)"))
    return true
  }

  private func writeNoted() throws -> Bool {
    let found = try connection.run(
      .once(
        "SELECT n.key, coalesce(CAST(octet_length(t.\(text)) AS bigint), 0) FROM \(notes) AS n "
          + "LEFT JOIN \(place) AS t ON t.\(key) = n.key WHERE NOT n.is_large ORDER BY n.key "
          + "LIMIT \(Self.portion.count)"))
    let chosen = Self.portion(of: found)
    guard !chosen.isEmpty else { return false }
    // The texts are read by another statement, which sees all that was committed before the notes were taken.
    let taken = try connection.run(
      try PostgreSQLCommand(
        "DELETE FROM \(notes) WHERE key = ANY (ARRAY(SELECT key FROM \(notes) "
          + "WHERE key = ANY ($1) ORDER BY key FOR UPDATE SKIP LOCKED)) RETURNING key",
        [.list(SQLList(chosen.map(SQLValue.integer)))], isKept: false))
    let keys = (0..<taken.count).map { taken.integer($0) }
    try write(keys)
    return !keys.isEmpty
  }

  /// Returns the keys of the first records whose texts are together not too large, but of one at least.
  private static func portion(of found: PostgreSQLResult) -> [Int64] {
    var keys: [Int64] = []
    var bytes: Int64 = 0
    for row in 0..<found.count {
      bytes += found.integer(row, 1)
      if !keys.isEmpty, bytes > portion.bytes { break }
      keys.append(found.integer(row, 0))
    }
    return keys
  }

  /// Writes the words of some records.
  private func write(_ keys: [Int64]) throws {
    guard !keys.isEmpty else { return }
    let texts = try connection.run(
      try PostgreSQLCommand(
        "SELECT \(key), \(text) FROM \(place) WHERE \(key) = ANY ($1) AND \(text) IS NOT NULL",
        [.list(SQLList(keys.map(SQLValue.integer)))], isKept: false))
    var vectors: [(key: Int64, text: String)] = []
    var large: [Int64] = []
    for row in 0..<texts.count {
      guard let text = texts.text(row, 1) else { continue }
      let words = SearchWords(of: text)
      if words.isEmpty { continue }
      if let vector = WordTable.vector(of: words) {
        vectors.append((texts.integer(row, 0), vector))
      } else {
        large.append(texts.integer(row, 0))
      }
    }
    var commands: [PostgreSQLCommand] = []
    let gone = Set(keys).subtracting(vectors.map(\.key)).sorted()
    if !gone.isEmpty {
      commands.append(
        try PostgreSQLCommand(
          "DELETE FROM \(words) WHERE key = ANY ($1)",
          [.list(SQLList(gone.map(SQLValue.integer)))], isKept: false))
    }
    if !large.isEmpty {
      commands.append(
        try PostgreSQLCommand(
          "INSERT INTO \(notes) (key, is_large) SELECT k, TRUE FROM pg_catalog.unnest($1) AS n (k)"
            + " ON CONFLICT DO NOTHING",
          [.list(SQLList(large.map(SQLValue.integer)))], isKept: false))
    }
    if !vectors.isEmpty {
      commands.append(
        try PostgreSQLCommand(
          "INSERT INTO \(words) (key, words) SELECT n.k, CAST(n.v AS pg_catalog.tsvector)"
            + " FROM unnest($1, $2) AS n (k, v)"
            + " ON CONFLICT (key) DO UPDATE SET words = excluded.words",
          [
            .list(SQLList(vectors.map { .integer($0.key) })),
            .list(SQLList(vectors.map { .text($0.text) })),
          ], isKept: false))
    }
    _ = try connection.run(commands).get()
  }
}
