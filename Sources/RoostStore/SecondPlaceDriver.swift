// SPDX-License-Identifier: Apache-2.0

/// A driver of stores that are no files, and knows a place beside a store in which a new version of it can be made.
package protocol SecondPlaceDriver: PersistentStoreDriver {
  /// Returns the description of the place; always the same one for a store.
  ///
  /// - Throws: `persistentStoreOpen` when the description names no store that can have one.
  func secondPlace(of description: PersistentStoreDescription) throws -> PersistentStoreDescription
}
