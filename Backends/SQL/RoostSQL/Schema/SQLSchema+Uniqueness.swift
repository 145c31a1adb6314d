// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore

extension SQLSchema {
  /// Returns the error for records that violate a uniqueness constraint of the model.
  ///
  /// - Parameters:
  ///   - isRefused: Returns whether an index is the one that cannot be created.
  ///   - cause: The database's error.
  package func uniquenessError(
    _ cause: any Error, ofIndex isRefused: (_ name: String, _ definition: String) -> Bool
  ) -> PersistenceError {
    for entity in store.entities.compactMap({ self.entity($0) }) {
      for constraint in entity.constraints
      where isRefused(
        constraint.index.name, definition(constraint.index, on: entity.table, isQualified: true))
      {
        return PersistenceError(
          .migrationConstraintViolation,
          "The store has records of \(constraint.entityName) that are not unique by "
            + "\(constraint.properties.joined(separator: ", ")), as the model wants them.",
          entityName: constraint.entityName, key: constraint.properties.first, underlying: cause)
      }
    }
    return PersistenceError(
      .migrationConstraintViolation,
      "The store has records that are not unique, as the model wants them.", underlying: cause)
  }
}
