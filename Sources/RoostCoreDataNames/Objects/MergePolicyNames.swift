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

/// The save fails on a conflict.
public let NSErrorMergePolicy = MergePolicy.error
/// Merges by property; where both changed, the store's value is kept.
public let NSMergeByPropertyStoreTrumpMergePolicy = MergePolicy.mergeByPropertyStoreTrump
/// Merges by property; where both changed, the object's value is kept.
public let NSMergeByPropertyObjectTrumpMergePolicy = MergePolicy.mergeByPropertyObjectTrump
/// Overwrites the stored record with the object.
public let NSOverwriteMergePolicy = MergePolicy.overwrite
/// Discards the changes of conflicting objects.
public let NSRollbackMergePolicy = MergePolicy.rollback
