// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// An error of a store, with the name of the store on the command line: the engine that throws it knows only a part of
/// that, or nothing.
struct NamedFailure: Error {
  /// The name of the store on the command line.
  let title: String
  let error: PersistenceError

  /// The codes of errors that concern a store as a whole, and not the words of a condition or the values of a record.
  private static let codes: Set<PersistenceError.Code> = [
    .persistentStoreTypeMismatch, .persistentStoreIncompatibleSchema, .persistentStoreSave,
    .persistentStoreOpen, .persistentStoreTimeout, .persistentStoreOperation,
    .persistentStoreIncompatibleVersionHash, .persistentStoreUnsupportedRequestType,
    .readOnlyStore, .storeFull, .corruptStore, .storeBusy, .storeRemoved, .commitOutcomeUnknown,
    .saveInDoubt, .migration, .migrationMissingSourceModel, .migrationMissingMappingModel,
    .migrationConstraintViolation,
  ]

  /// Runs a function that uses a store; its errors get the store's name.
  ///
  /// - Parameter title: The name of the store.
  static func naming<Result>(_ title: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PersistenceError where codes.contains(error.code) {
      throw NamedFailure(title: title, error: error)
    }
  }
}
