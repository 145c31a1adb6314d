// SPDX-License-Identifier: Apache-2.0

/// How a save deals with records that another writer changed since this context read them.
///
/// ```swift
/// context.mergePolicy = MergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
/// ```
public enum MergePolicyType: UInt, Sendable, Hashable, CaseIterable {
  /// A conflict ends the save.
  case errorMergePolicyType = 0
  /// Property by property; where both sides changed one, the store's value wins.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// Property by property; where both sides changed one, the object's value wins.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The whole object replaces the record.
  case overwriteMergePolicyType = 3
  /// The object's changes are dropped, the record stays.
  case rollbackMergePolicyType = 4

  /// Whether a deletion or a change made here stands against one made there (B183, B184).
  var favorsObject: Bool {
    self == .mergeByPropertyObjectTrumpMergePolicyType || self == .overwriteMergePolicyType
  }
}
