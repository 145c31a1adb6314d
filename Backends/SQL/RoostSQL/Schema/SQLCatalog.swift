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

/// The statements that bring a database to a mapping.
package struct CatalogChanges: Sendable {
  /// Those without which records cannot be read.
  package var tables: [String] = []
  /// Those that concern indexes only.
  package var indexes: [String] = []
}
