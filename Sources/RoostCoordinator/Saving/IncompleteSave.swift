// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore

/// Makes the error for a save that some stores have written and others have not (B170, B337).
struct IncompleteSave {
  let outcome: CrossStoreCommit.Outcome
  let parts: [ChangeSetSplit.Part]
  let summary: CommitSummary

  /// The error, with an underlying error for each store that did not write, and the IDs of the unwritten records.
  var error: PersistenceError {
    let written = outcome.committed.map(\.part.store.displayName)
    let missing = outcome.unwritten(of: parts)
    var underlying = missing.map { hasFailed($0) ? failure(of: $0) : notAsked($0) }
    for index in underlying.indices where underlying[index].objectIDs.isEmpty {
      underlying[index].objectIDs = Self.ids(of: missing[index])
    }
    return PersistenceError(
      .persistentStoreIncompleteSave,
      "The save is written in \(written.joined(separator: ", ")), but not in "
        + missing.map(\.store.displayName).joined(separator: ", ") + ".",
      objectIDs: missing.flatMap { Self.ids(of: $0) },
      underlyingErrors: underlying, underlying: outcome.failure?.error.underlying)
  }

  /// Whether a part was refused; the others were not asked after that.
  private func hasFailed(_ part: ChangeSetSplit.Part) -> Bool {
    if let failure = outcome.failure { return failure.part === part }
    let store = outcome.conflicts.first?.id.current.storeIdentity?.identifier
    return store == part.store.identity.identifier
  }

  private func failure(of part: ChangeSetSplit.Part) -> PersistenceError {
    var error =
      outcome.failure?.error
      ?? PersistenceError(
        .managedObjectMerge, "\(outcome.conflicts.count) records are in conflict.",
        objectIDs: outcome.conflicts.map(\.id))
    error.store = error.store ?? part.store.displayName
    return error
  }

  private func notAsked(_ part: ChangeSetSplit.Part) -> PersistenceError {
    PersistenceError(
      .persistentStoreSave, "The store was not asked to write because another one had failed.",
      store: part.store.displayName)
  }

  private static func ids(of part: ChangeSetSplit.Part) -> [ObjectID] {
    part.changes.writtenKeys.compactMap { part.store.objectID(forKey: $0) }
  }
}

extension CommitConflict {
  /// The record whose change conflicts.
  package var id: ObjectID {
    switch self {
    case .version(let id, _, _, _): id
    case .uniqueness(let id, _, _, _, _): id
    }
  }
}
