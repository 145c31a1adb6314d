// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel

/// The error of a save with unresolved conflicts: it names every record and value concerned (B178, B191).
struct ConflictReport {
  private let records: [ConflictRecord]

  init(_ conflicts: [any SaveConflict]) {
    records = conflicts.map(\.record)
  }

  /// Creates a report of conflicts without objects, as of a batch request.
  init(_ conflicts: [CommitConflict]) {
    records = conflicts.map { conflict in
      switch conflict {
      case .version(let id, let expected, let current, let cached):
        .version(
          ConflictRecord.Version(
            id: id, old: expected, new: current?.version ?? 0, object: nil, cached: cached,
            persisted: current))
      case .uniqueness(let id, let constraint, let entityName, let row, let holder):
        .constraint(
          ConflictRecord.Constraint(
            constraint: constraint, entityName: entityName, database: holder, databaseRow: row,
            conflicting: [id]))
      }
    }
  }

  /// Throws the error unless there are no conflicts.
  func throwIfAny() throws(PersistenceError) {
    guard !records.isEmpty else { return }
    throw error
  }

  /// The error. Version conflicts come first: an outdated object cannot be checked for uniqueness (B192).
  var error: PersistenceError {
    var versions: [PersistenceError] = []
    var constraints: [PersistenceError] = []
    for record in records {
      switch record {
      case .version(let conflict): versions.append(stale(conflict))
      case .constraint(let conflict): constraints.append(taken(conflict))
      }
    }
    return summary(versions.isEmpty ? constraints : versions)
  }

  private func stale(_ conflict: ConflictRecord.Version) -> PersistenceError {
    let state = conflict.new == 0 ? "is gone" : "is in version \(conflict.new)"
    return PersistenceError(
      .managedObjectMerge,
      "The record \(state); the change was made from version \(conflict.old).",
      entityName: conflict.id.entity.name, objectIDs: [conflict.id])
  }

  private func taken(_ conflict: ConflictRecord.Constraint) -> PersistenceError {
    let ids = conflict.conflicting + (conflict.database.map { [$0] } ?? [])
    let names = ids.prefix(Self.namedRecords).map { "\($0)" }.joined(separator: ", ")
    let others = ids.count - Self.namedRecords
    let holders = names.isEmpty ? "" : " These have the same: \(names)"
    let rest = names.isEmpty ? "" : others > 0 ? " and \(others) more." : "."
    return PersistenceError(
      .managedObjectConstraintMerge,
      "\(conflict.constraint.joined(separator: ", ")) of \(conflict.entityName) must be unique."
        + holders + rest, entityName: conflict.entityName, key: conflict.constraint.first,
      objectIDs: ids)
  }

  /// The maximum number of records named in a message.
  private static let namedRecords = 4

  private func summary(_ errors: [PersistenceError]) -> PersistenceError {
    guard let first = errors.first else {
      return PersistenceError(.persistentStoreSave, "A store refused the save without a reason.")
    }
    return PersistenceError(
      first.code,
      errors.count == 1 ? first.message : "\(errors.count) records are in conflict with the store.",
      entityName: first.entityName, key: first.key, objectIDs: errors.flatMap(\.objectIDs),
      underlyingErrors: errors, underlying: ConflictList(records: records))
  }
}

extension PersistenceError {
  /// The conflicts that ended a save, with their snapshots; empty for other errors.
  ///
  /// ```swift
  /// do { try context.save() } catch let error as PersistenceError {
  ///   for case let conflict as MergeConflict in error.conflicts(in: context) { print(conflict.sourceObject) }
  /// }
  /// ```
  /// - Parameter context: The context whose save threw the error.
  /// - Complexity: O(conflicts), no query.
  public func conflicts(in context: ManagedObjectContext) -> [any SaveConflict] {
    guard let list = underlying as? ConflictList else { return [] }
    return list.records.map { record in
      switch record {
      case .version(let conflict): MergeConflict(conflict, in: context)
      case .constraint(let conflict): ConstraintConflict(conflict, in: context)
      }
    }
  }
}
