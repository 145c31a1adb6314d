// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
package import RoostStore

extension SQLiteDriver {
  /// Returns what SQLite's own check finds wrong with a file's pages, indexes and constraints, a sentence each; nothing
  /// for a file that is whole.
  ///
  /// - Throws: `persistentStoreTypeMismatch` for a file that is no store, or what SQLite says when the file cannot be
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
