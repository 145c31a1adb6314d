// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostObjects

/// The result of reverting a transaction: the changed objects, and what was left alone.
///
/// ```swift
/// let report = try context.revert(transaction)
/// for conflict in report.conflicts { print(conflict.objectID, conflict.property ?? "as a whole") }
/// ```
public struct RevertReport: Sendable {
  /// The properties that were changed since, or have unsaved changes, and were left alone.
  public let conflicts: [Place]
  /// The relationships whose destinations no longer exist.
  public let missing: [Place]
  /// The objects that were inserted, changed or deleted in the context.
  public let changedObjectIDs: Set<ObjectID>

  /// Whether everything was reverted.
  public var isComplete: Bool { conflicts.isEmpty && missing.isEmpty }

  /// A property of a record.
  ///
  /// ```swift
  /// let names = report.conflicts.compactMap(\.property)
  /// ```
  public struct Place: Sendable, Hashable {
    /// The record.
    public let objectID: ObjectID
    /// The name of the property; nil for the record as a whole, which was deleted or inserted again since.
    public let property: String?
  }

  init(_ outcome: Reverting.Outcome) {
    conflicts = outcome.conflicts.map { Place(objectID: $0.id, property: $0.property) }
    missing = outcome.missing.map { Place(objectID: $0.id, property: $0.property) }
    changedObjectIDs = outcome.changed
  }
}
