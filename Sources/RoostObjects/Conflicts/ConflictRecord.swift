// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A conflict as plain data, stored in an error.
///
/// ```swift
/// let conflicts = error.conflicts(in: context)
/// ```
public enum ConflictRecord: Sendable {
  /// The version of a record differs from the one on which a change is based.
  case version(Version)
  /// Unique values are taken.
  case constraint(Constraint)

  /// A version conflict: the record's version differs from the one on which a change is based.
  ///
  /// ```swift
  /// if case .version(let version) = record { print(version.id, version.old, version.new) }
  /// ```
  public struct Version: Sendable {
    /// The record.
    public var id: ObjectID
    /// The version on which the change is based.
    public var old: Int64
    /// The current version; 0 when the record is gone.
    public var new: Int64
    /// The row on which the change is based.
    public var object: Row?
    /// The row in the coordinator's cache.
    public var cached: Row?
    /// The row in the store, if the cache does not have it; nil when it is gone.
    public var persisted: Row?
  }

  /// A uniqueness conflict: the values, and the records that have or claim them.
  ///
  /// ```swift
  /// if case .constraint(let taken) = record { print(taken.constraint, taken.conflicting) }
  /// ```
  public struct Constraint: Sendable {
    /// The names of the attributes.
    public var constraint: [String]
    /// The name of the entity that declares the constraint.
    public var entityName: String
    /// The stored record that has the values; nil when only unsaved changes are in conflict.
    public var database: ObjectID?
    /// Its row.
    public var databaseRow: Row?
    /// The objects that claim the values.
    public var conflicting: [ObjectID]
  }
}

/// The conflicts stored in an error in addition to its text.
struct ConflictList: Error, Sendable, CustomStringConvertible {
  var records: [ConflictRecord]

  /// The description is printed with the error; the rows may hold values that must not appear in a log.
  var description: String { "\(records.count) conflicts" }
}
