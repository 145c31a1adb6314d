// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The outcome of a commit. Other failures are thrown: then nothing was written, or, with `commitOutcomeUnknown`, the
/// outcome is unknown.
package enum CommitResult: Sendable {
  /// Everything was written.
  case committed(CommitSummary)
  /// Nothing was written, because of these conflicts.
  case conflicted([CommitConflict])
  /// Some stores have written their parts, and others have not: the error has code `persistentStoreIncompleteSave`,
  /// an underlying error for each failed store, and the IDs of the unwritten records (B170).
  case incomplete(CommitSummary, PersistenceError)
}

/// A summary of what was written.
package struct CommitSummary: Sendable {
  /// The stores that wrote, in the order of their commits.
  package var stores: [StoreIdentity] = []
  /// The stores that did not write their parts.
  package var failedStores: [StoreIdentity] = []
  /// Rows whose stored values differ from those that were sent, for example derived attributes.
  package var recomputed: [(id: ObjectID, row: Row)] = []
  /// The token after the commit, for stores that report it with the commit; nil if none does.
  package var token: PersistentHistoryToken?

  package init() {}

  /// Returns whether the changes of a record are settled: its store has written its part, or had nothing to write.
  package func contains(_ id: ObjectID) -> Bool {
    guard let identity = id.current.storeIdentity else { return false }
    return !failedStores.contains { $0.identifier == identity.identifier }
  }
}

/// A conflict that prevented a commit: nothing was written.
package enum CommitConflict: Sendable {
  /// A record's version differs from the one that the change is based on: `current` is its row in the store now, nil
  /// when it is gone; `cached` the row in the coordinator's cache (B177).
  case version(id: ObjectID, expected: Int64, current: Row?, cached: Row?)
  /// A record violates a uniqueness constraint: another one has the same values (B190).
  case uniqueness(
    id: ObjectID, constraint: [String], entityName: String, existing: Row?, existingID: ObjectID?)
}
