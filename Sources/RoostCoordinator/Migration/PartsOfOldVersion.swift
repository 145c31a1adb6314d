// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// What a store of an earlier version of the model holds of saves over several stores: its records cannot be brought to
/// another version before that is ended, and it cannot be attached, where that is done, before they are.
struct PartsOfOldVersion {
  let coordinator: PersistentStoreCoordinator
  let store: any PersistentStore
  let preparation: any StorePreparation

  /// Ends the parts as attached deciders say.
  ///
  /// - Parameter schema: What the store holds in its own version: only asked for when a part is committed.
  /// - Returns: Whether the store was prepared for its own version, and is to be opened anew.
  /// - Throws: `saveInDoubt` when a decider is not attached or does not know.
  func settle(_ schema: () throws -> StoreSchema) throws -> Bool {
    var isPrepared = false
    for part in try preparation.pending() {
      switch try decision(on: part) {
      case .committed:
        if !isPrepared { try store.prepare(try schema(), metadata: store.metadata) }
        isPrepared = true
        _ = try preparation.finish(part.ticket.id, committing: true)
      case .aborted: _ = try preparation.finish(part.ticket.id, committing: false)
      case .none, .forgotten: throw inDoubt(part)
      }
    }
    return isPrepared
  }

  private func decision(on part: PreparedPart) throws -> Decision {
    try SaveRecovery(coordinator: coordinator).decision(
      on: part, of: store.identity.identifier, preparation)
  }

  private func inDoubt(_ part: PreparedPart) -> PersistenceError {
    var error = part.inDoubt(in: store.identity.identifier)
    error.message +=
      " Its records are of another version of the model, to which it is brought when that is known: "
      + "add that store first, or open this one with the earlier model and end the save by hand."
    return error
  }
}
