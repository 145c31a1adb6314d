// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The tables, columns and indexes of a database.
package struct SQLCatalog: Sendable {
  /// The type of each column of each table; empty for a link table that is unchanged since its creation.
  package var columnsByTable: [String: [String: String]] = [:]
  /// The statement that created each index.
  package var definitionsByIndex: [String: String] = [:]
  /// The statement that created each trigger of an index of words.
  package var definitionsByTrigger: [String: String] = [:]
  /// The tables that belong to no mapping.
  package var otherTables: Set<String> = []

  package init() {}

  /// Returns the changes that bring the database to a mapping: missing tables, columns and indexes are created;
  /// indexes that the model no longer has, or has changed, are dropped. Tables and columns are never dropped here.
  ///
  /// - Parameters:
  ///   - names: The store's table of names: tables and columns with an older name were created before.
  ///   - deferred: The indexes that are built later.
  /// - Throws: `persistentStoreIncompatibleSchema` when a table or a column was removed or changed outside of Roost:
  ///   created again, it would be empty. A missing index is created again, from the records.
  package func changes(
    to mapping: SQLSchema, names: SQLNames, deferring deferred: Set<String> = []
  ) throws -> CatalogChanges {
    var changes = CatalogChanges()
    var indexes: [(name: String, noted: String, make: () -> String)] = []
    let freshTables = names.addedIdentifiers(inSpace: SQLNames.Path.tableSpace)
    for table in mapping.tables {
      let entity = table.root.name ?? ""
      if let columns = columnsByTable[table.name] {
        try check(table, columns, mapping, names) { column in
          changes.tables.append(mapping.definition(adding: column, to: table))
        }
      } else {
        guard freshTables.contains(table.name) else {
          throw Self.removed("table “\(table.name)” of the entity \(entity)", entity: entity)
        }
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
      if let columns = columnsByTable[table.name] {
        for column in SQLLinkTable.columns where !columns.isEmpty && columns[column] == nil {
          throw Self.removed("column “\(column)” of the table “\(table.name)”", of: table)
        }
      } else {
        guard freshTables.contains(table.name) else {
          throw Self.removed("table “\(table.name)” of a relationship", of: table)
        }
        changes.tables.append(mapping.definition(table))
      }
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
    for (name, noted, make) in indexes
    where definitionsByIndex[name] != noted && !deferred.contains(name) {
      changes.indexes.append(make())
    }
    return changes
  }
}

// MARK: - Changes outside of Roost

extension SQLCatalog {
  /// Compares the columns of an entity's table with those of the mapping.
  ///
  /// - Parameter add: Called for each column that is new in the model.
  private func check(
    _ table: SQLTable, _ columns: [String: String], _ mapping: SQLSchema, _ names: SQLNames,
    add: (SQLColumn) -> Void
  ) throws {
    let entity = table.root.name ?? ""
    for column in [SQLTable.key, SQLTable.version] where columns[column] == nil {
      throw Self.removed("column “\(column)” of the table “\(table.name)”", entity: entity)
    }
    var fresh: Set<String>?
    for column in table.columns {
      if let type = columns[column.name] {
        let wanted = mapping.dialect.columnType(column.kind)
        guard Self.isSame(type, wanted) else {
          throw PersistenceError(
            .persistentStoreIncompatibleSchema,
            "The column “\(column.name)” of the table “\(table.name)” has the type \(type), and the "
              + "model wants \(wanted).", entityName: entity, key: column.name)
        }
        continue
      }
      let known = fresh ?? names.addedIdentifiers(inSpace: SQLNames.Path.columnSpace(table: entity))
      fresh = known
      guard known.contains(column.name) else {
        throw Self.removed(
          "column “\(column.name)” of the table “\(table.name)”", entity: entity, key: column.name)
      }
      add(column)
    }
  }

  /// Compares types up to their collation.
  private static func isSame(_ type: String, _ wanted: String) -> Bool {
    if type == wanted { return true }
    func stem(_ text: String) -> String {
      let end = text.range(of: " COLLATE", options: .caseInsensitive)?.lowerBound ?? text.endIndex
      return text[..<end].lowercased()
    }
    return stem(type) == stem(wanted)
  }

  private static func removed(
    _ what: String, entity: String?, key: String? = nil
  ) -> PersistenceError {
    PersistenceError(
      .persistentStoreIncompatibleSchema,
      "The \(what) is missing: another program has removed it. Put it back from a copy of the "
        + "store.", entityName: entity, key: key)
  }

  private static func removed(_ what: String, of table: SQLLinkTable) -> PersistenceError {
    let relationship = table.links.relationship
    return removed(what, entity: relationship.entity?.name, key: relationship.name)
  }
}

extension SQLSchema {
  /// Returns whether a table is one of the mapping's.
  package func hasTable(_ name: String) -> Bool {
    tables.contains { $0.name == name } || linkTables.contains { $0.name == name }
  }

  /// Returns the columns of a table that a statement has created; nil unless the mapping would use the same statement
  /// now.
  package func columns(ofTable name: String, madeBy statement: String) -> [String: String]? {
    if let table = tables.first(where: { $0.name == name }) {
      guard definition(table) == statement else { return nil }
      var columns: [String: String] = [:]
      columns.reserveCapacity(table.columns.count)
      for column in table.columns { columns[column.name] = dialect.columnType(column.kind) }
      columns[SQLTable.key] = dialect.keyType
      columns[SQLTable.version] = dialect.columnType(.integer)
      return columns
    }
    guard let table = linkTables.first(where: { $0.name == name }) else { return nil }
    return definition(table) == statement ? [:] : nil
  }
}

/// The statements that bring a database to a mapping.
package struct CatalogChanges: Sendable {
  /// The statements without which records cannot be read.
  package var tables: [String] = []
  /// The statements that concern indexes only.
  package var indexes: [String] = []

  /// Whether the database matches the mapping.
  package var isEmpty: Bool { tables.isEmpty && indexes.isEmpty }
}
