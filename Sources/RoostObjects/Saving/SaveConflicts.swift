// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// The error policy: a conflict ends the save, and the error names every record and value concerned (B178, B191).
enum SaveConflicts {
  static func error(for conflicts: [CommitConflict]) -> PersistenceError {
    var versions: [PersistenceError] = []
    var constraints: [PersistenceError] = []
    for conflict in conflicts {
      switch conflict {
      case .version(let id, let expected, let current, _):
        versions.append(stale(id, expected: expected, current: current?.version))
      case .uniqueness(let id, let constraint, let entityName, _, let existing):
        constraints.append(
          PersistenceError(
            .managedObjectConstraintMerge,
            "\(constraint.joined(separator: ", ")) of \(entityName) must be unique.",
            entityName: entityName, key: constraint.first,
            objectIDs: existing.map { [id, $0] } ?? [id]))
      }
    }
    // Version conflicts come first: what is not current cannot be judged for uniqueness (B192).
    return summary(versions.isEmpty ? constraints : versions)
  }

  private static func stale(_ id: ObjectID, expected: Int64, current: Int64?) -> PersistenceError {
    let state = current.map { "is in version \($0)" } ?? "is gone"
    return PersistenceError(
      .managedObjectMerge,
      "The record \(state); the change was made from version \(expected).",
      entityName: id.entity.name, objectIDs: [id])
  }

  private static func summary(_ errors: [PersistenceError]) -> PersistenceError {
    guard let first = errors.first else {
      return PersistenceError(.persistentStoreSave, "A store refused the save without a reason.")
    }
    return PersistenceError(
      first.code, errors.count == 1 ? first.message : "\(errors.count) conflicts: \(first.message)",
      entityName: first.entityName, key: first.key, objectIDs: errors.flatMap(\.objectIDs),
      underlyingErrors: errors)
  }
}
