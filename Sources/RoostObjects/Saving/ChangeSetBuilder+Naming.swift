// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ChangeSetBuilder {
  /// Calls a closure that queries the stores, and translates their errors for the program.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PersistenceError {
      throw naming(error)
    }
  }

  /// Translates an error of the stores for the program: an unsaved new object is named by its temporary ID, which is
  /// the one that the program knows (B171).
  func naming(_ error: PersistenceError) -> PersistenceError {
    var temporary: [ObjectID: ObjectID] = [:]
    for (object, id) in zip(inserted, permanentIDs) where object.isInserted {
      temporary[id] = object.objectID
    }
    return temporary.isEmpty ? error : Self.naming(error, temporary)
  }

  private static func naming(
    _ error: PersistenceError, _ names: [ObjectID: ObjectID]
  ) -> PersistenceError {
    var error = error
    error.objectIDs = error.objectIDs.map { names[$0] ?? $0 }
    error.underlyingErrors = error.underlyingErrors.map { naming($0, names) }
    return error
  }
}
