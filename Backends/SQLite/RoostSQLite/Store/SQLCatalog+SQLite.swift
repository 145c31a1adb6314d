// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

extension SQLCatalog {
  /// Reads the catalog.
  ///
  /// - Parameter mapping: The mapping to compare with: for a table with exactly its definition nothing more is read.
  /// - Throws: `corruptStore` when there are triggers or views of another program, or when a table that does not
  ///   depend on the model is missing.
  init(_ connection: SQLiteConnection, _ mapping: SQLSchema) throws {
    self.init()
    let query = "SELECT type, name, sql FROM sqlite_schema"
    let entries = try connection.withStatement(query) { statement in
      var entries: [(type: String, name: String, definition: String)] = []
      while try statement.step() {
        entries.append(
          (statement.string(0) ?? "", statement.string(1) ?? "", statement.string(2) ?? ""))
      }
      return entries
    }
    let names = Set(entries.lazy.filter { $0.type == "table" }.map(\.name))
    if let missing = SQLiteFile.tables.first(where: { !names.contains($0) }) {
      throw PersistenceError(
        .corruptStore, "Another program has removed the store's table \(missing).")
    }
    for entry in entries {
      switch entry.type {
      // Roost's own tables, and SQLite's statistics tables.
      case "table" where !mapping.hasTable(entry.name): otherTables.insert(entry.name)
      // Compared with their definitions before anything is written.
      case "trigger" where WordTable.isTrigger(entry.name):
        definitionsByTrigger[entry.name] = entry.definition
      case "table":
        columnsByTable[entry.name] =
          try mapping.columns(ofTable: entry.name, madeBy: entry.definition)
          ?? Self.columns(of: entry.name, connection)
      // An index without a definition belongs to a primary key.
      case "index" where !entry.definition.isEmpty:
        definitionsByIndex[entry.name] = entry.definition
      case "index": break
      case "view" where SQLiteViewPlace(definition: entry.definition) != nil: break
      default:
        throw PersistenceError(
          .corruptStore, "The database has a \(entry.type), which no store of Roost makes.")
      }
    }
  }

  private static func columns(
    of table: String, _ connection: SQLiteConnection
  ) throws -> [String: String] {
    try connection.withStatement("SELECT name, type FROM pragma_table_info(?1)", [.text(table)]) {
      statement in
      var columns: [String: String] = [:]
      while try statement.step() { columns[statement.string(0) ?? ""] = statement.string(1) ?? "" }
      return columns
    }
  }
}
