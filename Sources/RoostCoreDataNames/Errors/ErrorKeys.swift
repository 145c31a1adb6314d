// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The underlying errors of a combined error: `[NSError]`.
public let NSDetailedErrorsKey = PersistenceError.detailedErrorsKey
/// The object that was refused; its ID if no context is available.
public let NSValidationObjectErrorKey = PersistenceError.validationObjectKey
/// The name of the property that was refused.
public let NSValidationKeyErrorKey = PersistenceError.validationKeyKey
/// The format of the predicate that refused a value.
public let NSValidationPredicateErrorKey = PersistenceError.validationPredicateKey
/// The value that was refused.
public let NSValidationValueErrorKey = PersistenceError.validationValueKey
/// The names of the affected stores.
public let NSAffectedStoresErrorKey = PersistenceError.affectedStoresKey
/// The affected objects; their IDs if no context is available.
public let NSAffectedObjectsErrorKey = PersistenceError.affectedObjectsKey
/// The conflicts that made a save fail: `[NSMergeConflict]` or `[NSConstraintConflict]`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// SQLite's extended result code, if SQLite caused the error: `Int`.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
