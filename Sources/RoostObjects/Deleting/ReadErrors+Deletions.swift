// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ReadErrors {
  /// Applies delete rules at the end of an event, where nothing can be thrown. If they cannot be applied because the
  /// store cannot be read, the deletions wait for the end of the next event, or for the save.
  func propagateDeletesOrWait() {
    do throws(PersistenceError) {
      try context.deletion.propagateDeletes()
    } catch {
      context.unthrown.readFailures.waitingDeletions = error
      context.readErrorHandler?(error)
    }
  }

  /// Throws the read error, or else, once, the refused change.
  func throwUnthrown() throws(PersistenceError) {
    if context.unthrown.isEmpty { return }
    if context.unthrown.readFailures.waitingDeletions != nil {
      try context.deletion.propagateDeletes()
    }
    if let error = context.unthrown.readFailures.error { throw error }
    guard let first = context.unthrown.refusedChanges.first else { return }
    let errors = context.unthrown.refusedChanges
    context.unthrown.refusedChanges = []
    guard errors.count > 1 else { throw first }
    throw PersistenceError(
      .validationMultipleErrors, "\(errors.count) changes were refused since the last save.",
      underlyingErrors: errors)
  }
}
