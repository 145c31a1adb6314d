// SPDX-License-Identifier: Apache-2.0

/// How a save that writes to several stores is committed.
///
/// ```swift
/// coordinator.crossStoreSaves = .perStore
/// ```
public enum CrossStoreSaves: Sendable, Hashable {
  /// The save is written in all stores or in none, whatever fails and whichever process is killed. A save that
  /// includes a store without support for this is refused before anything is written.
  case atomic
  /// The save is written in all stores or in none where all of them support this; otherwise it is written store after
  /// store, as with ``perStore``.
  ///
  /// Relationships between the stores are saved all the same: the store of the destination is written before the one
  /// whose records refer to it. If the save ends in between, the destination exists and nothing refers to it. Where
  /// two stores refer to each other, or a save deletes a record and clears the references to it, a reference may
  /// remain that leads to no record. It never leads to another record, and `danglingReferences(in:)` lists it.
  case atomicWherePossible
  /// The save is written store after store: each store writes its part whole or not at all. A failure after the first
  /// store has written is an error with code `persistentStoreIncompleteSave`.
  case perStore
}
