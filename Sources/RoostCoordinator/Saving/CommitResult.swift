// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// How a commit ended. Other failures are thrown, and then nothing was written anywhere, or `commitOutcomeUnknown`
/// says that it is not known.
package enum CommitResult: Sendable {
  /// Everything is written.
  case committed(CommitSummary)
  /// Nothing is written, because of these conflicts.
  case conflicted([CommitConflict])
  /// The stores of the summary have taken their part, others have not: the error has code
  /// `persistentStoreIncompleteSave`, an underlying error a store, and the IDs of what is not written (B170).
  case incomplete(CommitSummary, PersistenceError)
}

/// What was written.
package struct CommitSummary: Sendable {
  /// The stores that wrote, in the order of their commits.
  package var stores: [StoreIdentity] = []
  /// The stores that did not take their part.
  package var failedStores: [StoreIdentity] = []
  /// Rows whose stored values differ from those that were sent, as derived attributes do.
  package var recomputed: [(id: ObjectID, row: Row)] = []
  /// The token after it, of the stores that know it without being asked; nil where none does.
  package var token: PersistentHistoryToken?

  package init() {}

  /// Whether the changes of a record are settled: its store has taken its part, or had nothing to write.
  package func contains(_ id: ObjectID) -> Bool {
    guard let identity = id.current.storeIdentity else { return false }
    return !failedStores.contains { $0.identifier == identity.identifier }
  }
}

/// Why a commit wrote nothing.
package enum CommitConflict: Sendable {
  /// A record is not in the version that the change was made from: `current` is its row as the store has it now, nil
  /// when it is gone; `cached` the row that the coordinator knew (B177).
  case version(id: ObjectID, expected: Int64, current: Row?, cached: Row?)
  /// A record has values that another one must not have too (B190).
  case uniqueness(
    id: ObjectID, constraint: [String], entityName: String, existing: Row?, existingID: ObjectID?)
}
