// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Saves that are undone together: those of a context while an undo manager keeps the group.
///
/// The context does not keep it itself, so that a group that nobody closes is over with the one who has opened it.
package final class SaveGroup: Sendable {
  /// What the history says of its saves.
  package let id = UUID()

  package init() {}
}
