// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostSQL

/// An index of the words of one column: a table of FTS5, SQLite's full-text search, with Roost's words of each text.
///
/// FTS5 splits the words at the spaces between them and nowhere else, so its rules for texts have no influence. Other
/// programs write the column as well, and cannot compute Roost's words: triggers of plain SQL note the key of each
/// record whose text changes, and searches take these records for candidates until Roost has indexed them.
struct WordTable: Sendable, Hashable {
  /// The number of the index, which no later one gets.
  let id: Int64
  /// The table and the column with the texts.
  let table: String
  let column: String
  /// The signature of the words (`SearchWords.signature`).
  let signature: String
  /// The last key that was indexed while the index is being built; nil when it is built.
  let position: Int64?

  /// The prefix of the names of tables and triggers.
  static let prefix = "_roost_words_"

  /// Returns whether a trigger may be one of an index of words, by its name.
  static func isTrigger(_ name: String) -> Bool {
    name.hasPrefix(prefix) && SQLNames.isIdentifier(String(name.dropFirst()))
  }

  /// The table of words.
  var name: String { Self.prefix + String(id) }
  /// The table with the keys of records whose text has changed since it was indexed.
  var notes: String { "_roost_unindexed_\(id)" }

  /// The names of the triggers.
  var triggers: [String] { ["insert", "update", "move", "delete"].map { "\(name)_\($0)" } }

  // MARK: - Definitions

  /// The statements that create the tables.
  var tableDefinitions: [String] {
    [
      "CREATE VIRTUAL TABLE \(name) USING fts5(words, tokenize='ascii')",
      "CREATE TABLE \(notes) (key INTEGER PRIMARY KEY) STRICT",
    ]
  }

  /// The statements that create the triggers, in the order of ``triggers``.
  var triggerDefinitions: [String] {
    let text = SQLDialect.sqlite.quoted(column)
    let key = SQLDialect.sqlite.quoted(SQLTable.key)
    let events = [
      ("INSERT", "WHEN NEW.\(text) IS NOT NULL", ["NEW"]),
      ("UPDATE OF \(text)", "WHEN OLD.\(text) IS NOT NEW.\(text)", ["NEW"]),
      // Not of the key's column: a statement can name the key `rowid`.
      ("UPDATE", "WHEN OLD.\(key) <> NEW.\(key)", ["OLD", "NEW"]),
      ("DELETE", "WHEN OLD.\(text) IS NOT NULL", ["OLD"]),
    ]
    return zip(triggers, events).map { trigger, event in
      let (change, condition, rows) = event
      // An insertion's own handling of collisions, such as `OR FAIL`, would replace that of an `OR IGNORE` here.
      let body = rows.map { row in
        "INSERT INTO \(notes) SELECT \(row).\(key)"
          + " WHERE NOT EXISTS (SELECT 1 FROM \(notes) WHERE key = \(row).\(key));"
      }
      return "CREATE TRIGGER \(trigger) AFTER \(change) ON \(SQLDialect.sqlite.quoted(table))"
        + " \(condition) BEGIN \(body.joined(separator: " ")) END"
    }
  }

  // MARK: - Searches

  /// The index, as the statements of searches use it.
  var searchIndex: SQLWordIndex {
    let key = SQLDialect.sqlite.quoted(SQLTable.key)
    return SQLWordIndex { [name, notes] alias, parameter in
      "\(alias).\(key) IN (SELECT rowid FROM \(name) WHERE \(name) MATCH \(parameter)"
        + " UNION ALL SELECT key FROM \(notes))"
    } query: { query in
      query.terms.map { term in
        // Words have neither spaces nor quotation marks.
        "\"\(term.words.joined(separator: " "))\"" + (term.isPrefix ? " *" : "")
      }.joined(separator: " AND ")
    }
  }
}
