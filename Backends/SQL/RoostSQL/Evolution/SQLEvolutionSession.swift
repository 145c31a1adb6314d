// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// The database's part in an evolution: statements on one connection, in one transaction. Rows and destinations are
/// read by the schema of the destination.
package protocol SQLEvolutionSession: DerivationSource {
  /// Runs a statement that changes definitions.
  func define(_ statement: String) throws

  /// Runs a statement that removes a table or a column.
  ///
  /// - Returns: Whether it was removed; false when an object of another program depends on it.
  func remove(_ statement: String) throws -> Bool

  /// Runs a statement and returns the number of rows that it wrote.
  func write(_ statement: String, _ values: [SQLValue]) throws -> Int

  /// Runs a query whose results are integers and texts.
  func read(_ statement: String, _ values: [SQLValue]) throws -> [[SQLValue]]

  /// Writes some slots of rows, which keep their versions.
  func write(_ rows: [Row], _ slots: [RowSlot], of entity: SQLEntity) throws
}

extension SQLEvolutionSession {
  /// Returns the integers in the first column of a result.
  package func keys(_ statement: String, _ values: [SQLValue] = []) throws -> [Int64] {
    try read(statement, values).compactMap { row in
      if case .integer(let number)? = row.first { number } else { nil }
    }
  }
}
