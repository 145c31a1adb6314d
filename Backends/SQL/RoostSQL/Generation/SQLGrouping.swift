// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery

/// Groups that a driver makes of records as they arrive. The grouping key is the number in the first column of the
/// statement; a group has the place of its first record.
package struct SQLGrouping: Sendable {
  /// The kind of the grouping key.
  package let key: SlotKind
  /// The columns of the request.
  package let columns: [Column]

  /// The kinds of numbers that can be a grouping key: equal values are equal numbers.
  static let keyKinds: Set<SlotKind> = [.integer, .boolean, .reference]

  /// One column of the request.
  package enum Column: Sendable {
    /// The grouping key.
    case key
    /// A sum, an average or a count.
    case aggregate(FetchFunction, of: Source)
  }

  /// The source of an aggregate: the records, or a column of the statement by its index.
  package enum Source: Sendable {
    /// The records themselves.
    case records
    /// Values that are only counted when they are not null.
    case present(Int)
    case integers(Int)
    case doubles(Int)
  }
}
