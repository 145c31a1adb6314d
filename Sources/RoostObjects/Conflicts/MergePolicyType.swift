// SPDX-License-Identifier: Apache-2.0

/// The resolution of conflicts with records that another writer changed since this context read them.
///
/// ```swift
/// context.mergePolicy = MergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
/// ```
public enum MergePolicyType: UInt, Sendable, Hashable, CaseIterable {
  /// A conflict ends the save.
  case errorMergePolicyType = 0
  /// Merges property by property; if both sides changed one, the store's value wins.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// Merges property by property; if both sides changed one, the object's value wins.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The whole object replaces the record.
  case overwriteMergePolicyType = 3
  /// The object's changes are dropped, the record stays.
  case rollbackMergePolicyType = 4

  /// Whether a deletion or change of this context overrides one of another writer (B183, B184).
  var favorsObject: Bool {
    self == .mergeByPropertyObjectTrumpMergePolicyType || self == .overwriteMergePolicyType
  }
}
