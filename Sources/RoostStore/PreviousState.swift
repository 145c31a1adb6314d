// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored state before a change set: the records that it changes or removes, and the links that it adds, moves or
/// removes.
package struct PreviousState: Sendable {
  /// The previous rows by key.
  package var rows: [Int64: Row] = [:]
  /// The links, each with its previous state.
  package var links: [LinkChange] = []

  package init() {}
}
