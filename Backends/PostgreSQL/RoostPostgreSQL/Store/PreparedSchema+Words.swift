// SPDX-License-Identifier: Apache-2.0

import RoostSQL
import RoostStore
import Synchronization

extension PreparedSchema {
  /// The number of written records after which they are indexed: until then a search reads them, which costs less than
  /// a transaction more for each save.
  private static let patience = 256

  /// Takes note of committed changes, and brings the indexes of words up to date after many of them. The changes stand
  /// whether or not that succeeds.
  ///
  /// Cost: nothing for a model without searchable texts.
  func indexWords(_ store: PostgreSQLStore, afterRecords count: Int) {
    guard !words.isEmpty, count > 0,
      unindexed.add(count, ordering: .relaxed).newValue >= Self.patience
    else { return }
    unindexed.store(0, ordering: .relaxed)
    do {
      try store.withConnection { connection in
        for table in words {
          let writer = WordWriter(table, mapping.dialect, connection)
          while try writer.writePortion() {}
        }
      }
    } catch {
      store.description.log?.remark("Texts were saved and are not indexed yet: \(error)")
    }
  }

  /// Runs a request; when a program of another model has removed an index of words that it uses, runs it without, as
  /// all later ones.
  func answering<Result>(
    _ store: PostgreSQLStore, _ body: (PreparedSchema) throws -> Result
  ) throws -> Result {
    do {
      return try body(self)
    } catch let error as PostgreSQLError where !words.isEmpty && error.isMissingTable {
      let without = try PreparedSchema(mapping)
      let result = try body(without)
      store.setPrepared(without, metadata: nil)
      return result
    }
  }

  /// Returns the name of an index in plans; nil for a line of a plan that names no table of words.
  func title(ofWordsIn line: String) -> String? {
    let names = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    guard let table = words.first(where: { names.contains(Substring($0.name)) }) else { return nil }
    return mapping.wordColumns.first { $0.table == table.table && $0.column == table.column }?.title
  }
}
