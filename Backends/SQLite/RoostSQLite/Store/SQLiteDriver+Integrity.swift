// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
package import RoostStore

extension SQLiteDriver {
  /// Returns the findings of SQLite's integrity check on a file's pages, indexes and constraints, a sentence each;
  /// none for an intact file.
  ///
  /// - Throws: `persistentStoreTypeMismatch` for a file that is not a store, or SQLite's error when the file cannot be
  ///   read.
  /// - Complexity: Reads the whole file.
  package static func structuralDamage(
    of description: PersistentStoreDescription
  ) throws -> [String] {
    try SQLiteDriver().translating(description) {
      var readOnly = description
      readOnly.isReadOnly = true
      let location = try SQLiteLocation(readOnly.url)
      try location.requireFile()
      let connection = try ConnectionSettings(readOnly).openReader(location)
      return try connection.withStatement("PRAGMA integrity_check(100)") { statement in
        var found: [String] = []
        while try statement.step() {
          if let text = statement.string(0), text != "ok" { found.append("SQLite: \(text).") }
        }
        return found
      }
    }
  }
}
