// SPDX-License-Identifier: Apache-2.0

/// A change of a relationship that a setter written by hand has begun and not ended.
struct OpenRelationshipChange {
  let object: ManagedObject
  let ordinal: Int
  /// The destinations before the change, of those that it concerns.
  let before: ContiguousArray<ManagedObject>
  /// The destinations that the change concerns; nil for all.
  let concerned: Set<ManagedObject>?
}
