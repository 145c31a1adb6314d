// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A conflict as plain data, as an error carries it.
///
/// ```swift
/// let conflicts = error.conflicts(in: context)
/// ```
public enum ConflictRecord: Sendable {
  /// A record is not in the version that a change was made from.
  case version(Version)
  /// Values that must be unique are taken.
  case constraint(Constraint)

  /// A record that is not in the version that a change was made from.
  ///
  /// ```swift
  /// if case .version(let version) = record { print(version.id, version.old, version.new) }
  /// ```
  public struct Version: Sendable {
    /// The record.
    public var id: ObjectID
    /// The version that the change was made from.
    public var old: Int64
    /// The version now; 0 when the record is gone.
    public var new: Int64
    /// The row that the change was made from.
    public var object: Row?
    /// The row in the coordinator's cache.
    public var cached: Row?
    /// The row in the store, where the cache does not know it; nil when it is gone.
    public var persisted: Row?
  }

  /// Values that must be unique, and the records that want or have them.
  ///
  /// ```swift
  /// if case .constraint(let taken) = record { print(taken.constraint, taken.conflicting) }
  /// ```
  public struct Constraint: Sendable {
    /// The names of the attributes.
    public var constraint: [String]
    /// The name of the entity that declares the constraint.
    public var entityName: String
    /// The stored record that has the values; nil when only unsaved changes collide.
    public var database: ObjectID?
    /// Its row.
    public var databaseRow: Row?
    /// The objects that want the values.
    public var conflicting: [ObjectID]
  }
}

/// The conflicts that an error carries beside its text.
struct ConflictList: Error, Sendable, CustomStringConvertible {
  var records: [ConflictRecord]

  /// The records are printed with the error; their rows hold values that a log is not to have.
  var description: String { "\(records.count) conflicts" }
}
