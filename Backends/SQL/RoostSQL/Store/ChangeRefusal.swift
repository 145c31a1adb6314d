// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The reason why a change was not written.
package enum ChangeRefusal: Sendable {
  /// The record is not in the expected version; 0 when it was expected not to exist.
  case version(key: Int64, expected: Int64)
  /// Another record has the values; `sent` is its row when this commit wrote it.
  case uniqueness(SQLConstraint, key: Int64, holder: Int64, sent: Row?)

  package var isVersion: Bool {
    if case .version = self { return true }
    return false
  }
}
