// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Core Data's error codes: `(error as NSError).code`, in the domain `NSCocoaErrorDomain` (B336).

/// A validation rule of the model refused a value.
public let NSManagedObjectValidationError = 1550
/// The value of a uniqueness constraint is taken.
public let NSManagedObjectConstraintValidationError = 1551
/// Several validations failed.
public let NSValidationMultipleErrorsError = 1560
/// A required property has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has too few destinations.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has too many destinations.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship denies the deletion.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is too large.
public let NSValidationNumberTooLargeError = 1610
/// A number is too small.
public let NSValidationNumberTooSmallError = 1620
/// A date is too late.
public let NSValidationDateTooLateError = 1630
/// A date is too early.
public let NSValidationDateTooSoonError = 1640
/// A date is not valid.
public let NSValidationInvalidDateError = 1650
/// A string is too long.
public let NSValidationStringTooLongError = 1660
/// A string is too short.
public let NSValidationStringTooShortError = 1670
/// A string does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A URI is not valid.
public let NSValidationInvalidURIError = 1690
/// A context could not be locked; never thrown.
public let NSManagedObjectContextLockingError = 132_000
/// A coordinator could not be locked; never thrown.
public let NSPersistentStoreCoordinatorLockingError = 132_010
/// The record of a fault no longer exists.
public let NSManagedObjectReferentialIntegrityError = 133_000
/// A relationship crosses stores.
public let NSManagedObjectExternalRelationshipError = 133_010
/// A record was changed by another writer.
public let NSManagedObjectMergeError = 133_020
/// Conflicts of unique values were not resolved.
public let NSManagedObjectConstraintMergeError = 133_021
/// An unknown type of store.
public let NSPersistentStoreInvalidTypeError = 134_000
/// A store is of another type.
public let NSPersistentStoreTypeMismatchError = 134_010
/// The model does not fit the store.
public let NSPersistentStoreIncompatibleSchemaError = 134_020
/// A save failed.
public let NSPersistentStoreSaveError = 134_030
/// Some of several stores failed to save.
public let NSPersistentStoreIncompleteSaveError = 134_040
/// A merge conflict; never thrown, see 133020.
public let NSPersistentStoreSaveConflictsError = 134_050
/// A general error.
public let NSCoreDataError = 134_060
/// An operation on a store failed.
public let NSPersistentStoreOperationError = 134_070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134_080
/// A store did not answer in time.
public let NSPersistentStoreTimeoutError = 134_090
/// A store does not support a request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134_091
/// Another version of the model wrote the store.
public let NSPersistentStoreIncompatibleVersionHashError = 134_100
/// A migration failed.
public let NSMigrationError = 134_110
/// A migration would violate a constraint.
public let NSMigrationConstraintViolationError = 134_111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134_120
/// The model of a store was not found.
public let NSMigrationMissingSourceModelError = 134_130
/// A mapping was not found.
public let NSMigrationMissingMappingModelError = 134_140
/// The source of a migration failed.
public let NSMigrationManagerSourceStoreError = 134_150
/// The destination of a migration failed.
public let NSMigrationManagerDestinationStoreError = 134_160
/// A migration policy failed.
public let NSEntityMigrationPolicyError = 134_170
/// SQLite failed.
public let NSSQLiteError = 134_180
/// A mapping could not be inferred.
public let NSInferredMappingModelError = 134_190
/// An external record was not imported; never thrown.
public let NSExternalRecordImportError = 134_200
/// A history token has expired.
public let NSPersistentHistoryTokenExpiredError = 134_301
/// A model was not found.
public let NSManagedObjectModelReferenceNotFoundError = 134_504
/// A store must be opened by another version first.
public let NSStagedMigrationFrameworkVersionMismatchError = 134_505
/// A staged migration would go backwards.
public let NSStagedMigrationBackwardMigrationError = 134_506
