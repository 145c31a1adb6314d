// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The tables, columns and indexes that a file has.
struct SQLiteCatalog {
  private var columnsByTable: [String: Set<String>] = [:]
  private var definitionsByIndex: [String: String] = [:]

  /// Reads the catalogue.
  ///
  /// - Throws: `corruptStore` when there are triggers or views: Roost makes none, so somebody else did.
  init(_ connection: SQLiteConnection) throws {
    let query = "SELECT type, name, sql FROM sqlite_schema"
    let entries = try connection.withStatement(query) { statement in
      var entries: [(type: String, name: String, definition: String)] = []
      while try statement.step() {
        entries.append(
          (statement.string(0) ?? "", statement.string(1) ?? "", statement.string(2) ?? ""))
      }
      return entries
    }
    for entry in entries {
      switch entry.type {
      case "table": columnsByTable[entry.name] = try Self.columns(of: entry.name, connection)
      // An index without a definition belongs to a primary key.
      case "index" where !entry.definition.isEmpty:
        definitionsByIndex[entry.name] = entry.definition
      case "index": break
      default:
        throw PersistenceError(
          .corruptStore, "The database has a \(entry.type), which no store of Roost makes.")
      }
    }
  }

  private static func columns(of table: String, _ connection: SQLiteConnection) throws -> Set<
    String
  > {
    try connection.withStatement("SELECT name FROM pragma_table_info(?1)", [.text(table)]) {
      statement in
      var columns: Set<String> = []
      while try statement.step() { columns.insert(statement.string(0) ?? "") }
      return columns
    }
  }

  /// What brings a file to a mapping: missing tables, columns and indexes are made; indexes that the model no longer
  /// has, or has otherwise, are dropped. Tables and columns are never dropped here.
  func changes(to mapping: SQLSchema) -> CatalogChanges {
    var changes = CatalogChanges()
    var indexes: [(name: String, definition: String)] = []
    for table in mapping.tables {
      if let columns = columnsByTable[table.name] {
        for column in table.columns where !columns.contains(column.name) {
          changes.tables.append(mapping.definition(adding: column, to: table))
        }
      } else {
        changes.tables.append(mapping.definition(table))
      }
      indexes += table.indexes.map { ($0.name, mapping.definition($0, on: table)) }
    }
    for table in mapping.linkTables {
      if columnsByTable[table.name] == nil { changes.tables.append(mapping.definition(table)) }
      indexes.append((table.reverseIndex, mapping.reverseDefinition(table)))
    }
    let wanted = Dictionary(uniqueKeysWithValues: indexes.map { ($0.name, $0.definition) })
    for (name, definition) in definitionsByIndex.sorted(by: { $0.key < $1.key })
    where wanted[name] != definition && SQLNames.isIdentifier(name) {
      changes.indexes.append("DROP INDEX \(mapping.dialect.quoted(name))")
    }
    for (name, definition) in indexes where definitionsByIndex[name] != definition {
      changes.indexes.append(definition)
    }
    return changes
  }
}

/// The statements that bring a file to a mapping.
struct CatalogChanges {
  /// Those without which records cannot be read.
  var tables: [String] = []
  /// Those that concern indexes only.
  var indexes: [String] = []
}
