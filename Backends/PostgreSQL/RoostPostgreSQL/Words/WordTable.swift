// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostSQL

/// An index of the words of one column: a table with Roost's words of each text, as a `tsvector` with a GIN index.
///
/// The words are in a table of their own, so that the tables of records stay as they are for programs of other
/// versions, and saves need no statement more. Other programs write the column as well, and cannot compute Roost's
/// words: triggers note the key of each record whose text changes, and searches take these records for candidates
/// until Roost has indexed them.
struct WordTable: Sendable, Hashable {
  /// The number of the index, which no later one gets.
  let id: Int64
  /// The table and the column with the texts.
  let table: String
  let column: String
  /// The signature of the words (`SearchWords.signature`).
  let signature: String
  /// The last key that was indexed while the index is being built; nil when it is built.
  var position: Int64?

  /// The table of all indexes of words, which exists from the first one on.
  static let registry = "_roost_words"
  /// The beginning of the names of tables and functions.
  static let prefix = "_roost_words_"
  private static let notesPrefix = "_roost_unindexed_"

  /// Returns whether a table belongs to an index of words.
  static func isOwn(_ name: String) -> Bool {
    name == registry || name.hasPrefix(prefix) || name.hasPrefix(notesPrefix)
  }

  /// The table of words.
  var name: String { Self.prefix + String(id) }
  /// The table with the keys of records whose text has changed since it was indexed, and of those whose text has more
  /// words than a `tsvector` can have.
  var notes: String { Self.notesPrefix + String(id) }
  /// The functions of the triggers: for one changed record, and for the records of a statement.
  var functions: [String] { ["\(name)_record", "\(name)_records"] }
  /// The number of triggers.
  static let triggerCount = 3

  // MARK: - Definitions

  /// Returns the statements that create the tables, the functions and the triggers.
  func definitions(_ dialect: SQLDialect) -> [String] {
    let key = dialect.quoted(SQLTable.key)
    let text = dialect.quoted(column)
    let (words, notes) = (dialect.qualified(name), dialect.qualified(notes))
    let taking = "INSERT INTO \(notes) (key)"
    // The lock on the row keeps a program that indexes from missing a text that is not committed yet.
    let ending = "ON CONFLICT (key) DO UPDATE SET is_large = FALSE;"
    let record = """
      \(taking) VALUES (NEW.\(key)) \(ending) \
      IF OLD.\(key) <> NEW.\(key) THEN \(taking) VALUES (OLD.\(key)) \(ending) END IF;
      """
    let records = "\(taking) SELECT c.\(key) FROM roost_changed AS c ORDER BY 1 \(ending)"
    let place = dialect.qualified(table)
    let calls = functions.map { "EXECUTE FUNCTION \(dialect.qualified($0))()" }
    return [
      "CREATE TABLE \(words) (key bigint PRIMARY KEY, words tsvector NOT NULL)",
      "CREATE INDEX \(dialect.quoted(name + "_index")) ON \(words) USING gin (words)",
      "CREATE TABLE \(notes) (key bigint PRIMARY KEY, is_large boolean NOT NULL DEFAULT FALSE)",
      function(functions[0], record, dialect), function(functions[1], records, dialect),
      "CREATE TRIGGER \(dialect.quoted(name + "_update")) AFTER UPDATE ON \(place) FOR EACH ROW "
        + "WHEN (OLD.\(text) IS DISTINCT FROM NEW.\(text) OR OLD.\(key) <> NEW.\(key)) \(calls[0])",
      "CREATE TRIGGER \(dialect.quoted(name + "_insert")) AFTER INSERT ON \(place) "
        + "REFERENCING NEW TABLE AS roost_changed FOR EACH STATEMENT \(calls[1])",
      "CREATE TRIGGER \(dialect.quoted(name + "_delete")) AFTER DELETE ON \(place) "
        + "REFERENCING OLD TABLE AS roost_changed FOR EACH STATEMENT \(calls[1])",
    ]
  }

  private func function(_ name: String, _ body: String, _ dialect: SQLDialect) -> String {
    // Every program that writes the records runs it, and may lack privileges on the tables of words.
    "CREATE FUNCTION \(dialect.qualified(name))() RETURNS trigger LANGUAGE plpgsql "
      + "SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS "
      + PostgreSQLNamespace.literal("BEGIN \(body) RETURN NULL; END")
  }

  /// Returns the statements that remove it: the triggers go with their functions.
  func removals(_ dialect: SQLDialect) -> [String] {
    functions.map { "DROP FUNCTION IF EXISTS \(dialect.qualified($0))() CASCADE" }
      + ["DROP TABLE IF EXISTS \(dialect.qualified(name)), \(dialect.qualified(notes))"]
  }

  // MARK: - Searches

  /// Returns the index, as the statements of searches use it.
  func searchIndex(_ dialect: SQLDialect) -> SQLWordIndex {
    let key = dialect.quoted(SQLTable.key)
    let (words, notes) = (dialect.qualified(name), dialect.qualified(notes))
    return SQLWordIndex { alias, parameter in
      "\(alias).\(key) IN (SELECT w.key FROM \(words) AS w "
        + "WHERE w.words @@ CAST(CAST(\(parameter) AS text) AS pg_catalog.tsquery)"
        + " UNION ALL SELECT n.key FROM \(notes) AS n)"
    } query: { query in
      // Positions are not kept: whether the words of a phrase follow one another is tested on the text.
      query.terms.flatMap { term in
        term.words.enumerated().map { number, word in
          "'\(word)'" + (term.isPrefix && number == term.words.count - 1 ? ":*" : "")
        }
      }.joined(separator: " & ")
    }
  }

  /// The largest number of bytes of the words of one text: the limit of a `tsvector` is 1 MB.
  private static let largestSize = 1_000_000

  /// Returns the words of a text as a `tsvector`; nil when there are too many.
  static func vector(of words: SearchWords) -> String? {
    let distinct = Set(words)
    guard distinct.reduce(0, { $0 + $1.utf8.count }) < largestSize else { return nil }
    // Words have neither spaces, quotation marks nor backslashes.
    return distinct.map { "'\($0)'" }.joined(separator: " ")
  }
}
