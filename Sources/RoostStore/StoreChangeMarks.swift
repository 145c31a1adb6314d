// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to tell whether anybody wrote it: another coordinator, or another process.
///
/// ```swift
/// let before = try store.changeMarks?.changeMark()
/// // ... later
/// let isChanged = try store.changeMarks?.changeMark() != before
/// ```
public protocol StoreChangeMarks: Sendable {
  /// Returns what stands for the present state of the store: after a commit, by whomever, it is another mark, and it is
  /// never one that was given before. It may change without a commit too, as when keys are reserved.
  ///
  /// A request that begins afterwards sees at least what the mark stands for. A reader of what was written since the
  /// last mark would miss it for good otherwise: the next time the mark is the same.
  ///
  /// Marks mean something only while the store is open.
  ///
  /// - Throws: `storeRemoved` when the store is closed, or what the engine says.
  /// - Complexity: One round trip that does not depend on how much is stored.
  func changeMark() throws -> String
}
