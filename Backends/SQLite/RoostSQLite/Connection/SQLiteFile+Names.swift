// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

extension SQLiteFile {
  /// Reads the identifiers of the store's tables and columns.
  static func names(_ connection: SQLiteConnection) throws -> [String: String] {
    try connection.withStatement("SELECT path, identifier FROM _roost_names") { statement in
      var names: [String: String] = [:]
      names.reserveCapacity(64)
      while try statement.step() {
        guard let path = statement.string(0), let identifier = statement.string(1),
          SQLNames.isIdentifier(identifier)
        else { throw PersistenceError(.corruptStore, "The store's table of names is damaged.") }
        names[path] = identifier
      }
      return names
    }
  }

  /// Writes new identifiers, as part of the open transaction.
  static func addNames(_ names: SQLNames, _ connection: SQLiteConnection) throws {
    for path in names.added {
      guard let identifier = names.identifiers[path] else { continue }
      try connection.run(
        "INSERT INTO _roost_names VALUES (?1, ?2)", [.text(path), .text(identifier)])
    }
  }

  /// Replaces the names that an evolution changes, as part of the open transaction.
  static func writeNames(of evolution: SQLEvolution, _ connection: SQLiteConnection) throws {
    for path in evolution.removedPaths {
      try connection.run("DELETE FROM _roost_names WHERE path = ?1", [.text(path)])
    }
    for (path, identifier) in evolution.writtenNames {
      try connection.run(
        "INSERT INTO _roost_names VALUES (?1, ?2) ON CONFLICT (path) DO UPDATE SET identifier = ?2",
        [.text(path), .text(identifier)])
    }
  }
}
