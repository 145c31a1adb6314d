// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

/// ``MergePolicy``, with the signature that programs for Core Data override.
open class NSMergePolicy: MergePolicy, @unchecked Sendable {
  // Sendable: as the superclass; a subclass that holds more than constants answers for it.

  /// Resolves all conflicts that one attempt of a save met (B186, B192).
  ///
  /// - Parameter list: `NSMergeConflict` and `NSConstraintConflict`.
  /// - Throws: `NSError`; the save ends with it.
  open func resolve(mergeConflicts list: [Any]) throws {
    try asFoundation {
      try super.resolve(mergeConflicts: list.compactMap { $0 as? any SaveConflict })
    }
  }

  /// Calls what programs for Core Data override.
  open override func resolve(mergeConflicts list: [any SaveConflict]) throws {
    try resolve(mergeConflicts: list as [Any])
  }
}
/// ``MergePolicyType``.
public typealias NSMergePolicyType = MergePolicyType
/// ``MergeConflict``.
public typealias NSMergeConflict = MergeConflict
/// ``ConstraintConflict``.
public typealias NSConstraintConflict = ConstraintConflict

/// A conflict ends the save (B178).
public let NSErrorMergePolicy = MergePolicy.error
/// Property by property; the store wins where both changed (B179).
public let NSMergeByPropertyStoreTrumpMergePolicy = MergePolicy.mergeByPropertyStoreTrump
/// Property by property; the object wins where both changed (B180).
public let NSMergeByPropertyObjectTrumpMergePolicy = MergePolicy.mergeByPropertyObjectTrump
/// The whole object wins (B181).
public let NSOverwriteMergePolicy = MergePolicy.overwrite
/// The changes of objects in conflict are dropped (B182).
public let NSRollbackMergePolicy = MergePolicy.rollback
