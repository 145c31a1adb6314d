// SPDX-License-Identifier: Apache-2.0

/// The columns of a to-many relationship's destinations, in a table that has a row for each destination, or for each
/// link.
package struct SQLDestinations {
  /// The table, as statements name it.
  package let table: String
  /// The column that holds the key of the source.
  package let source: String
  /// The column that holds the key of the destination.
  package let key: String
  /// The column that holds the destination's position, where the relationship is ordered.
  package let position: String?
}
