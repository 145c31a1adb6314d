// SPDX-License-Identifier: Apache-2.0

/// Where the destinations of a to-many relationship are: a table that has a row for each of them, or for each link.
package struct SQLDestinations {
  /// The table, as it stands in a statement.
  package let table: String
  /// The column that holds the key of the source.
  package let source: String
  /// The column that holds the key of the destination.
  package let key: String
  /// The column that holds the destination's position, where the relationship is ordered.
  package let position: String?
}
