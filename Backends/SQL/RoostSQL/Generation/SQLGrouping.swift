// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery

/// Groups that a driver makes of records as they come. What makes a group is the number in the first column of the
/// statement; a group stands where its first record does.
package struct SQLGrouping: Sendable {
  /// The kind of the number that makes a group.
  package let key: SlotKind
  /// The columns of the request.
  package let columns: [Column]

  /// The kinds of numbers that can make a group: equal values are equal numbers.
  static let keyKinds: Set<SlotKind> = [.integer, .boolean, .reference]

  /// One column of the request.
  package enum Column: Sendable {
    /// What makes the group.
    case key
    /// A sum, an average or a count.
    case aggregate(FetchFunction, of: Source)
  }

  /// What is aggregated, and the number of the statement's column that holds it.
  package enum Source: Sendable {
    /// The records themselves.
    case records
    /// Values that are there or not, and are not looked at.
    case present(Int)
    case integers(Int)
    case doubles(Int)
  }
}
