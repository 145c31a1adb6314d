// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The tables, columns and indexes that a database has.
package struct SQLCatalog: Sendable {
  /// The columns of each table.
  package var columnsByTable: [String: Set<String>] = [:]
  /// The statement that made each index.
  package var definitionsByIndex: [String: String] = [:]

  package init() {}

  /// What brings the database to a mapping: missing tables, columns and indexes are made; indexes that the model no
  /// longer has, or has otherwise, are dropped. Tables and columns are never dropped here.
  package func changes(to mapping: SQLSchema) -> CatalogChanges {
    var changes = CatalogChanges()
    var indexes: [(name: String, noted: String, make: () -> String)] = []
    for table in mapping.tables {
      if let columns = columnsByTable[table.name] {
        for column in table.columns where !columns.contains(column.name) {
          changes.tables.append(mapping.definition(adding: column, to: table))
        }
      } else {
        changes.tables.append(mapping.definition(table))
      }
      for index in table.indexes {
        indexes.append(
          (
            index.name, mapping.definition(index, on: table, isQualified: false),
            { mapping.definition(index, on: table, isQualified: true) }
          ))
      }
    }
    for table in mapping.linkTables {
      if columnsByTable[table.name] == nil { changes.tables.append(mapping.definition(table)) }
      indexes.append(
        (
          table.reverseIndex, mapping.reverseDefinition(table, isQualified: false),
          { mapping.reverseDefinition(table, isQualified: true) }
        ))
    }
    let wanted = Dictionary(uniqueKeysWithValues: indexes.map { ($0.name, $0.noted) })
    for (name, noted) in definitionsByIndex.sorted(by: { $0.key < $1.key })
    where wanted[name] != noted && SQLNames.isIdentifier(name) {
      changes.indexes.append("DROP INDEX \(mapping.dialect.qualified(name))")
    }
    for (name, noted, make) in indexes where definitionsByIndex[name] != noted {
      changes.indexes.append(make())
    }
    return changes
  }
}

extension SQLSchema {
  /// Whether a table is one of the mapping's.
  package func hasTable(_ name: String) -> Bool {
    tables.contains { $0.name == name } || linkTables.contains { $0.name == name }
  }

  /// The columns of a table that was made by a statement; nil unless it is the one that would make it now.
  package func columns(ofTable name: String, madeBy statement: String) -> Set<String>? {
    if let table = tables.first(where: { $0.name == name }) {
      return definition(table) == statement ? Set(table.columns.map(\.name)) : nil
    }
    // Of links it is only asked whether there is a table.
    return linkTables.contains { $0.name == name } ? [] : nil
  }
}

/// The statements that bring a database to a mapping.
package struct CatalogChanges: Sendable {
  /// Those without which records cannot be read.
  package var tables: [String] = []
  /// Those that concern indexes only.
  package var indexes: [String] = []

  /// Whether the database is as the mapping has it.
  package var isEmpty: Bool { tables.isEmpty && indexes.isEmpty }
}
