// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

// The deferred steps of a migration name tables and columns by their identifiers, and any program may have written
// them: a step never removes a table or a column that the model uses.
extension SQLNames {
  /// Checks that a step removes nothing that the model uses.
  ///
  /// - Throws: `corruptStore` when it does, or when it has a name that Roost does not generate.
  package func check(_ step: DeferredStep) throws {
    let isSafe =
      switch step.kind {
      case .column: step.part.map { isUnused(column: $0, ofTable: step.place) } ?? false
      case .table: Self.isIdentifier(step.place) && !usedTables.contains(step.place.lowercased())
      case .index: Self.isIdentifier(step.place)
      case .records: false
      }
    guard isSafe else {
      throw PersistenceError(
        .corruptStore, "The store's list of deferred migration steps contradicts its names.")
    }
  }

  private func isUnused(column: String, ofTable table: String) -> Bool {
    guard Self.isIdentifier(column), Self.isIdentifier(table) else { return false }
    let root = identifiers.first { path, identifier in
      path.hasPrefix(Self.entityTables) && identifier.lowercased() == table.lowercased()
    }?.key.dropFirst(Self.entityTables.count)
    // A table that the model does not use is to be removed as well.
    guard let root else { return true }
    let space = "column:\(root)/"
    return !identifiers.contains { path, identifier in
      path.hasPrefix(space) && !path.hasPrefix(space + "/")
        && identifier.lowercased() == column.lowercased()
    }
  }

  private static let entityTables = Path.tableSpace + "/entity/"

  private var usedTables: Set<String> {
    let prefixes = [Self.entityTables, Path.tableSpace + "/links/"]
    return Set(
      identifiers.lazy.filter { entry in prefixes.contains { entry.key.hasPrefix($0) } }
        .map { $0.value.lowercased() })
  }
}

extension SQLSchema {
  /// Returns the table and the index of an identifier, if the index can be built later.
  package func laterIndex(_ name: String) -> (table: SQLTable, index: SQLIndex)? {
    for table in tables {
      if let index = table.indexes.first(where: { $0.name == name }), !index.isUnique {
        return (table, index)
      }
    }
    return nil
  }
}
