// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

/// ``MergePolicy``.
public typealias NSMergePolicy = MergePolicy
/// ``MergePolicyType``.
public typealias NSMergePolicyType = MergePolicyType
/// ``MergeConflict``.
public typealias NSMergeConflict = MergeConflict
/// ``ConstraintConflict``.
public typealias NSConstraintConflict = ConstraintConflict

/// A conflict ends the save.
public let NSErrorMergePolicy = MergePolicy.error
/// Property by property; the store wins where both changed.
public let NSMergeByPropertyStoreTrumpMergePolicy = MergePolicy.mergeByPropertyStoreTrump
/// Property by property; the object wins where both changed.
public let NSMergeByPropertyObjectTrumpMergePolicy = MergePolicy.mergeByPropertyObjectTrump
/// The whole object wins.
public let NSOverwriteMergePolicy = MergePolicy.overwrite
/// The changes of objects in conflict are dropped.
public let NSRollbackMergePolicy = MergePolicy.rollback
