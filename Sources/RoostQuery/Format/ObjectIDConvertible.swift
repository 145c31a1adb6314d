// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A representation of an object in a predicate: a managed object, or its ID.
///
/// ```swift
/// let people = try FetchPredicate("department == %@", sales)          // an object
/// let same = try FetchPredicate("department == %@", sales.objectID)   // its ID
/// ```
public protocol ObjectIDConvertible {
  /// The ID of the object.
  var objectID: ObjectID { get }
}

extension ObjectID: ObjectIDConvertible {
  /// The ID itself.
  public var objectID: ObjectID { self }
}
