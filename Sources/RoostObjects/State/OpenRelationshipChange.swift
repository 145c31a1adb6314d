// SPDX-License-Identifier: Apache-2.0

/// A relationship change that a hand-written setter has begun and not ended.
struct OpenRelationshipChange {
  let object: ManagedObject
  let ordinal: Int
  /// The affected destinations before the change.
  let before: ContiguousArray<ManagedObject>
  /// The affected destinations; nil for all.
  let concerned: Set<ManagedObject>?
}
