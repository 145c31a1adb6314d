// SPDX-License-Identifier: Apache-2.0

extension PersistenceError {
  /// The error itself, or one that holds a foreign error.
  package static func wrapping(_ error: any Error) -> PersistenceError {
    if let error = error as? PersistenceError { return error }
    return PersistenceError(
      .persistentStoreOperation, "A store failed: \(error)", underlying: error)
  }
}
