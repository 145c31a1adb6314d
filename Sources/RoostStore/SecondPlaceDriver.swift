// SPDX-License-Identifier: Apache-2.0

/// A driver of stores that are no files; it names a place beside a store where a migration builds the new version.
package protocol SecondPlaceDriver: PersistentStoreDriver {
  /// Returns the description of the place; always the same one for a store.
  ///
  /// - Throws: `persistentStoreOpen` when the description names no store that can have one.
  func secondPlace(of description: PersistentStoreDescription) throws -> PersistentStoreDescription

  /// Puts a store in the place of another, unless that was written since its change mark was taken.
  ///
  /// - Parameter mark: What ``StoreChangeMarks/changeMark()`` said of the store that is replaced.
  /// - Returns: Whether it was replaced; false when it was written, and is as it was.
  /// - Throws: `storeBusy` while it is open where that matters.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription,
    ifUnchangedSince mark: String
  ) throws -> Bool

  /// Waits until nobody else migrates a store, and keeps others from it as long as the result is there.
  ///
  /// - Parameter use: What for: one use of a store does not wait for the other.
  /// - Throws: `storeBusy` when another program still migrates it after the description's time.
  func lockMigration(
    of description: PersistentStoreDescription, for use: StoreMigrationUse
  ) throws -> any StoreMigrationLock
}
