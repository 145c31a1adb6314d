// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A group of saves that are undone together: those of a context while an undo manager holds the group.
///
/// The context does not retain it, so that a group that is never closed ends with its owner.
package final class SaveGroup: Sendable {
  /// The ID that the history stores with the group's saves.
  package let id = UUID()

  package init() {}
}
