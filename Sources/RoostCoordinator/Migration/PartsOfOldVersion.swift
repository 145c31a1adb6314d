// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The prepared parts of saves over several stores in a store of an earlier model version. They must be ended before
/// its records can be migrated, and before the migration the store cannot be attached, which is when parts are
/// usually settled.
struct PartsOfOldVersion {
  let coordinator: PersistentStoreCoordinator
  let store: any PersistentStore
  let preparation: any StorePreparation

  /// Ends the parts according to attached deciders.
  ///
  /// - Parameter schema: Makes the schema of the store's own version; called only when a part is committed.
  /// - Returns: Whether the store was prepared for its own version, and must be reopened.
  /// - Throws: `saveInDoubt` when a decider is not attached or does not know the outcome.
  func settle(_ schema: () throws -> StoreSchema) throws -> Bool {
    var isPrepared = false
    for part in try preparation.pending() {
      switch try decision(on: part) {
      case .committed:
        if !isPrepared { try store.prepare(try schema(), metadata: store.metadata) }
        isPrepared = true
        _ = try preparation.finish(part.ticket.id, committing: true)
      case .aborted: _ = try preparation.finish(part.ticket.id, committing: false)
      case nil, .some(.none), .forgotten: throw inDoubt(part)
      }
    }
    return isPrepared
  }

  private func decision(on part: PreparedPart) throws -> Decision? {
    try SaveRecovery(coordinator: coordinator).decision(
      on: part, of: store.identity.identifier, preparation,
      until: Deadline(after: store.description.timeout))
  }

  private func inDoubt(_ part: PreparedPart) -> PersistenceError {
    var error = part.inDoubt(in: store.identity.identifier)
    error.message +=
      " Its records are of another version of the model, to which it is brought when that is known: "
      + "add that store first, or open this one with the earlier model and end the save by hand."
    return error
  }
}
