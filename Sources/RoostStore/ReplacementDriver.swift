// SPDX-License-Identifier: Apache-2.0

/// A driver of files that replaces a store on the condition that nobody has written it for a while. A save that other
/// programs make between the reading of a store and its replacement would be lost otherwise.
package protocol ReplacementDriver: PersistentStoreDriver {
  /// Begins to watch a store that is to be replaced later.
  ///
  /// - Returns: The watched store; nil when the backend behind the driver watches none.
  /// - Throws: `persistentStoreOpen` when there is no store, and what reading the file throws.
  func beginReplacement(
    of description: PersistentStoreDescription
  ) throws -> (any StoreReplacement)?
}

/// A store that is watched from the moment when this was made, until it is replaced.
package protocol StoreReplacement {
  /// Replaces the store with another one, unless it was written since it is watched. Nobody can write between the
  /// comparison and the replacement.
  ///
  /// - Returns: Whether it was replaced; false when it was written, and is unchanged.
  /// - Throws: `storeBusy` while it is open elsewhere; then it can be tried again.
  func replace(with source: PersistentStoreDescription) throws -> Bool
}
