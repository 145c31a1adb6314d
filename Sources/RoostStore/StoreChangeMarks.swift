// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to detect writes by other coordinators and processes.
///
/// ```swift
/// let before = try store.changeMarks?.changeMark()
/// // ... later
/// let isChanged = try store.changeMarks?.changeMark() != before
/// ```
public protocol StoreChangeMarks: Sendable {
  /// Returns a mark of the present state of the store. It changes with every commit of any process, and never
  /// repeats. It may change without a commit, too, for example when keys are reserved.
  ///
  /// A request that begins afterwards sees at least the state of the mark. Otherwise a reader would miss a write for
  /// good, because the next mark would be the same.
  ///
  /// Marks are valid only while the store is open.
  ///
  /// - Throws: `storeRemoved` when the store is closed, or the engine's errors.
  /// - Complexity: One round trip, independent of the size of the store.
  func changeMark() throws -> String
}
