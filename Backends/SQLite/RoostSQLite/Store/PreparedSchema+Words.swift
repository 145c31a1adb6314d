// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostSQL

extension PreparedSchema {
  /// Adds the texts that the open transaction has written to the indexes of words, at its end: nothing is left to
  /// later searches.
  ///
  /// Cost: two statements for each index, and one for each changed text.
  func indexWords(_ connection: SQLiteConnection) throws {
    for table in words {
      do {
        try WordWriter(table, connection).writeNoted()
      } catch let error as SQLiteError where error.isOfRemovedWords {
        // A program whose model has no searchable texts was faster; searches find that out for themselves.
      }
    }
  }

  /// Runs a request; when a program of another model has removed an index of words that it uses, runs it without, as
  /// all later ones.
  func answering<Result>(
    _ store: SQLiteStore, _ body: (PreparedSchema) throws -> Result
  ) throws -> Result {
    do {
      return try body(self)
    } catch let error as SQLiteError where !words.isEmpty && error.isOfRemovedWords {
      let without = try PreparedSchema(mapping)
      store.setPrepared(without, metadata: nil)
      return try body(without)
    }
  }

  /// Returns the name of an index in plans; nil for a table that has no words.
  func title(ofWords name: String) -> String? {
    guard let table = words.first(where: { $0.name == name }) else { return nil }
    return mapping.wordColumns.first { $0.table == table.table && $0.column == table.column }?.title
  }
}

extension SQLiteError {
  /// Whether a statement names an index of words that is not there.
  var isOfRemovedWords: Bool {
    primaryCode == SQLITE_ERROR
      && (message.hasPrefix("no such table: \(WordTable.prefix)")
        || message.hasPrefix("no such table: _roost_unindexed_"))
  }
}
