// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Why the store of a request is not attached, for an error that says what to do.
package enum MissingStoreReason: Sendable {
  /// No store has been added.
  case neverAdded
  /// The last store could not be added.
  case failed(PersistenceError)
  /// A store was removed.
  case removed

  /// Returns the error for a request for an entity that no store holds.
  package func error(entityName: String?, hasStores: Bool) -> PersistenceError {
    var error = PersistenceError(
      .noStore,
      hasStores
        ? "None of the coordinator's stores holds the entity: the configurations with which they "
          + "were added do not have it." : "The coordinator has no store.", entityName: entityName)
    switch self {
    case .neverAdded where !hasStores:
      error.message =
        "The coordinator has no store yet: call loadPersistentStores() of the container, or "
        + "addPersistentStore(with:), and wait until it is done."
    case .failed(let failure):
      error.message += " Another store could not be added, by loadPersistentStores() or otherwise."
      error.underlyingErrors = [failure]
    case .removed where !hasStores: error.message += " The last one was removed."
    case .neverAdded, .removed: break
    }
    return error
  }
}
