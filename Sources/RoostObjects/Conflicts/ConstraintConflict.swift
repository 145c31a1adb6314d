// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A uniqueness conflict: the values, and the objects that have or claim them.
///
/// ```swift
/// override func resolve(constraintConflicts list: [ConstraintConflict]) throws {
///   for conflict in list { print(conflict.constraint, conflict.conflictingObjects.count) }
///   try super.resolve(constraintConflicts: list)
/// }
/// ```
public final class ConstraintConflict: SaveConflict {
  /// The names of the attributes whose values must be unique together.
  public let constraint: [String]
  /// The object whose record has the values; nil when only unsaved changes are in conflict.
  public let databaseObject: ManagedObject?
  /// The objects that claim the values: one or more beside a ``databaseObject``, otherwise several.
  public let conflictingObjects: [ManagedObject]
  /// The conflicting values, by attribute, as they were when the conflict was found.
  public let constraintValues: [String: Any]
  /// The committed values of each conflicting object; `NSNull` for a new object.
  public let conflictingSnapshots: [Any]
  let databaseRow: Row?
  let entityName: String

  /// Creates a conflict, for example to test a policy.
  ///
  /// - Parameters:
  ///   - constraint: The names of the attributes.
  ///   - database: The object whose record has the values.
  ///   - databaseSnapshot: The values of that record.
  ///   - conflicting: The objects that claim the values.
  ///   - conflictingSnapshots: The committed values of each of them; taken from the objects when empty.
  public convenience init(
    constraint: [String], database: ManagedObject?, databaseSnapshot: [String: Any]?,
    conflicting: [ManagedObject], conflictingSnapshots: [Any]
  ) {
    let row = database.flatMap { holder in
      databaseSnapshot.flatMap { values in
        (holder.snapshot ?? holder.row).flatMap {
          $0.replacing(values, in: holder, version: $0.version)
        }
      }
    }
    self.init(
      constraint: constraint, entityName: conflicting.first?.entity.name ?? "",
      database: database, databaseRow: row, conflicting: conflicting,
      snapshots: conflictingSnapshots)
  }

  init(
    constraint: [String], entityName: String, database: ManagedObject?, databaseRow: Row?,
    conflicting: [ManagedObject], snapshots: [Any] = []
  ) {
    self.constraint = constraint
    self.entityName = entityName
    databaseObject = database
    self.databaseRow = databaseRow
    conflictingObjects = conflicting
    conflictingSnapshots =
      snapshots.isEmpty ? conflicting.map(ConstraintConflict.snapshot) : snapshots
    var values: [String: Any] = [:]
    for key in constraint {
      values[key] = conflicting.first?.values.constrainedValue(forKey: key)
    }
    constraintValues = values
  }

  private static func snapshot(of object: ManagedObject) -> Any {
    guard let snapshot = object.snapshot else { return NSNull() }
    return snapshot.snapshotValues(of: object)
  }

  /// Creates the conflict from the record in an error.
  convenience init(_ record: ConflictRecord.Constraint, in context: ManagedObjectContext) {
    self.init(
      constraint: record.constraint, entityName: record.entityName,
      database: record.database.map { context.object(with: $0) }, databaseRow: record.databaseRow,
      conflicting: record.conflicting.map { context.object(with: $0) })
  }

  /// The values of the stored record; nil when only unsaved changes are in conflict.
  public var databaseSnapshot: [String: Any]? {
    databaseObject.flatMap { databaseRow?.snapshotValues(of: $0) }
  }

  /// All objects concerned.
  public var objects: [ManagedObject] {
    conflictingObjects + (databaseObject.map { [$0] } ?? [])
  }

  /// The conflict as plain data.
  public var record: ConflictRecord {
    .constraint(
      ConflictRecord.Constraint(
        constraint: constraint, entityName: entityName, database: databaseObject?.identity,
        databaseRow: databaseRow, conflicting: conflictingObjects.map(\.identity)))
  }

  /// Brings the objects to a state that can be saved: one of them keeps the values (B193).
  func settle(by type: MergePolicyType) {
    ConstraintResolution(conflict: self, type: type).apply()
  }

  /// Notifies the objects, once all conflicts are settled.
  func tellObjects() {
    for object in conflictingObjects { object.restoring.awaken(after: .mergePolicy) }
  }
}
