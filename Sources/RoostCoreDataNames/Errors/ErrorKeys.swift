// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The errors that one sums up: `[NSError]`.
public let NSDetailedErrorsKey = PersistenceError.detailedErrorsKey
/// The object that was refused; its ID where no context is at hand.
public let NSValidationObjectErrorKey = PersistenceError.validationObjectKey
/// The name of the property that was refused.
public let NSValidationKeyErrorKey = PersistenceError.validationKeyKey
/// The format of the predicate that refused a value.
public let NSValidationPredicateErrorKey = PersistenceError.validationPredicateKey
/// The value that was refused.
public let NSValidationValueErrorKey = PersistenceError.validationValueKey
/// The names of the stores concerned.
public let NSAffectedStoresErrorKey = PersistenceError.affectedStoresKey
/// The objects concerned; their IDs where no context is at hand.
public let NSAffectedObjectsErrorKey = PersistenceError.affectedObjectsKey
/// The conflicts that ended a save: `[NSMergeConflict]` or `[NSConstraintConflict]`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// SQLite's own extended result code, where the error is one of SQLite's: `Int`.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
