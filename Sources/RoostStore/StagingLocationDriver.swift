// SPDX-License-Identifier: Apache-2.0

/// A driver of stores that are not files; it provides a second place beside a store, where a migration builds the new
/// version.
package protocol StagingLocationDriver: PersistentStoreDriver {
  /// Returns the description of the second place; always the same for a store.
  ///
  /// - Throws: `persistentStoreOpen` when the description names no store with a second place.
  func secondPlace(of description: PersistentStoreDescription) throws -> PersistentStoreDescription

  /// Replaces a store with another one, unless it was written since its change mark was taken.
  ///
  /// - Parameter mark: The ``StoreChangeMarks/changeMark()`` of the store to replace.
  /// - Returns: Whether it was replaced; false when it was written meanwhile, and is unchanged.
  /// - Throws: `storeBusy` while it is open, in backends where that prevents a replacement.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription,
    ifUnchangedSince mark: String
  ) throws -> Bool

  /// Waits until no other process migrates a store, and locks it against other migrations for as long as the result
  /// exists.
  ///
  /// - Parameter use: The purpose of the lock; locks for different uses do not block each other.
  /// - Throws: `storeBusy` when another program still migrates it after the description's timeout.
  func lockMigration(
    of description: PersistentStoreDescription, for use: StoreMigrationUse
  ) throws -> any StoreMigrationLock
}
