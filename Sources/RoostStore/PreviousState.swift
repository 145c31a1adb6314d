// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What a change set finds in the store: the records that it changes or removes, and the links that it makes, moves or
/// ends.
package struct PreviousState: Sendable {
  /// The records by their keys, as they were.
  package var rows: [Int64: Row] = [:]
  /// The links, each with what it was.
  package var links: [LinkChange] = []

  package init() {}
}
