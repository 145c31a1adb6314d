// SPDX-License-Identifier: Apache-2.0

extension PersistenceError {
  /// Returns the error itself, or a `PersistenceError` that wraps a foreign error.
  package static func wrapping(_ error: any Error) -> PersistenceError {
    if let error = error as? PersistenceError { return error }
    return PersistenceError(
      .persistentStoreOperation, "A store failed: \(error)", underlying: error)
  }
}
