// SPDX-License-Identifier: Apache-2.0

/// What becomes of a save that concerns several stores.
///
/// ```swift
/// coordinator.crossStoreSaves = .perStore
/// ```
public enum CrossStoreSaves: Sendable, Hashable {
  /// It is written in all stores or in none, whatever fails and whichever process is killed. A save that concerns a
  /// store which cannot take part in that is refused before anything is written.
  case atomic
  /// It is written in all stores or in none where all of them can take part in that; otherwise it is written store
  /// after store.
  case atomicWherePossible
  /// It is written store after store: each takes its part whole or not at all. A failure after the first store has
  /// written is an error with code `persistentStoreIncompleteSave`.
  case perStore
}
