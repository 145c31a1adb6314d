// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if !canImport(Darwin)
// On Apple's systems, these are part of Core Data.
extension CocoaError.Code {
  /// A validation rule of the model refused a value.
  public static let managedObjectValidation = CocoaError.Code(
    rawValue: NSManagedObjectValidationError)
  /// The value of a uniqueness constraint is taken.
  public static let managedObjectConstraintValidation = CocoaError.Code(
    rawValue: NSManagedObjectConstraintValidationError)
  /// Several validations failed.
  public static let validationMultipleErrors = CocoaError.Code(
    rawValue: NSValidationMultipleErrorsError)
  /// A required property has no value.
  public static let validationMissingMandatoryProperty = CocoaError.Code(
    rawValue: NSValidationMissingMandatoryPropertyError)
  /// A relationship has too few destinations.
  public static let validationRelationshipLacksMinimumCount = CocoaError.Code(
    rawValue: NSValidationRelationshipLacksMinimumCountError)
  /// A relationship has too many destinations.
  public static let validationRelationshipExceedsMaximumCount = CocoaError.Code(
    rawValue: NSValidationRelationshipExceedsMaximumCountError)
  /// A relationship denies the deletion.
  public static let validationRelationshipDeniedDelete = CocoaError.Code(
    rawValue: NSValidationRelationshipDeniedDeleteError)
  /// A number is too large.
  public static let validationNumberTooLarge = CocoaError.Code(
    rawValue: NSValidationNumberTooLargeError)
  /// A number is too small.
  public static let validationNumberTooSmall = CocoaError.Code(
    rawValue: NSValidationNumberTooSmallError)
  /// A date is too late.
  public static let validationDateTooLate = CocoaError.Code(rawValue: NSValidationDateTooLateError)
  /// A date is too early.
  public static let validationDateTooSoon = CocoaError.Code(rawValue: NSValidationDateTooSoonError)
  /// A date is not valid.
  public static let validationInvalidDate = CocoaError.Code(rawValue: NSValidationInvalidDateError)
  /// A string is too long.
  public static let validationStringTooLong = CocoaError.Code(
    rawValue: NSValidationStringTooLongError)
  /// A string is too short.
  public static let validationStringTooShort = CocoaError.Code(
    rawValue: NSValidationStringTooShortError)
  /// A string does not match its pattern.
  public static let validationStringPatternMatching = CocoaError.Code(
    rawValue: NSValidationStringPatternMatchingError)
  /// A URI is not valid.
  public static let validationInvalidURI = CocoaError.Code(rawValue: NSValidationInvalidURIError)
  /// A context could not be locked; never thrown.
  public static let managedObjectContextLocking = CocoaError.Code(
    rawValue: NSManagedObjectContextLockingError)
  /// A coordinator could not be locked; never thrown.
  public static let persistentStoreCoordinatorLocking = CocoaError.Code(
    rawValue: NSPersistentStoreCoordinatorLockingError)
  /// The record of a fault no longer exists.
  public static let managedObjectReferentialIntegrity = CocoaError.Code(
    rawValue: NSManagedObjectReferentialIntegrityError)
  /// A relationship crosses stores.
  public static let managedObjectExternalRelationship = CocoaError.Code(
    rawValue: NSManagedObjectExternalRelationshipError)
  /// A record was changed by another writer.
  public static let managedObjectMerge = CocoaError.Code(rawValue: NSManagedObjectMergeError)
  /// Conflicts of unique values were not resolved.
  public static let managedObjectConstraintMerge = CocoaError.Code(
    rawValue: NSManagedObjectConstraintMergeError)
  /// An unknown type of store.
  public static let persistentStoreInvalidType = CocoaError.Code(
    rawValue: NSPersistentStoreInvalidTypeError)
  /// A store is of another type.
  public static let persistentStoreTypeMismatch = CocoaError.Code(
    rawValue: NSPersistentStoreTypeMismatchError)
  /// The model does not fit the store.
  public static let persistentStoreIncompatibleSchema = CocoaError.Code(
    rawValue: NSPersistentStoreIncompatibleSchemaError)
  /// A save failed.
  public static let persistentStoreSave = CocoaError.Code(rawValue: NSPersistentStoreSaveError)
  /// Some of several stores failed to save.
  public static let persistentStoreIncompleteSave = CocoaError.Code(
    rawValue: NSPersistentStoreIncompleteSaveError)
  /// A merge conflict; never thrown, see 133020.
  public static let persistentStoreSaveConflicts = CocoaError.Code(
    rawValue: NSPersistentStoreSaveConflictsError)
  /// A general error.
  public static let coreData = CocoaError.Code(rawValue: NSCoreDataError)
  /// An operation on a store failed.
  public static let persistentStoreOperation = CocoaError.Code(
    rawValue: NSPersistentStoreOperationError)
  /// A store could not be opened.
  public static let persistentStoreOpen = CocoaError.Code(rawValue: NSPersistentStoreOpenError)
  /// A store did not answer in time.
  public static let persistentStoreTimeout = CocoaError.Code(
    rawValue: NSPersistentStoreTimeoutError)
  /// A store does not support a request.
  public static let persistentStoreUnsupportedRequestType = CocoaError.Code(
    rawValue: NSPersistentStoreUnsupportedRequestTypeError)
  /// Another version of the model wrote the store.
  public static let persistentStoreIncompatibleVersionHash = CocoaError.Code(
    rawValue: NSPersistentStoreIncompatibleVersionHashError)
  /// A migration failed.
  public static let migration = CocoaError.Code(rawValue: NSMigrationError)
  /// A migration would violate a constraint.
  public static let migrationConstraintViolation = CocoaError.Code(
    rawValue: NSMigrationConstraintViolationError)
  /// A migration was cancelled.
  public static let migrationCancelled = CocoaError.Code(rawValue: NSMigrationCancelledError)
  /// The model of a store was not found.
  public static let migrationMissingSourceModel = CocoaError.Code(
    rawValue: NSMigrationMissingSourceModelError)
  /// A mapping was not found.
  public static let migrationMissingMappingModel = CocoaError.Code(
    rawValue: NSMigrationMissingMappingModelError)
  /// The source of a migration failed.
  public static let migrationManagerSourceStore = CocoaError.Code(
    rawValue: NSMigrationManagerSourceStoreError)
  /// The destination of a migration failed.
  public static let migrationManagerDestinationStore = CocoaError.Code(
    rawValue: NSMigrationManagerDestinationStoreError)
  /// A migration policy failed.
  public static let entityMigrationPolicy = CocoaError.Code(rawValue: NSEntityMigrationPolicyError)
  /// SQLite failed.
  public static let sqlite = CocoaError.Code(rawValue: NSSQLiteError)
  /// A mapping could not be inferred.
  public static let inferredMappingModel = CocoaError.Code(rawValue: NSInferredMappingModelError)
  /// An external record was not imported; never thrown.
  public static let externalRecordImport = CocoaError.Code(rawValue: NSExternalRecordImportError)
  /// A history token has expired.
  public static let persistentHistoryTokenExpired = CocoaError.Code(
    rawValue: NSPersistentHistoryTokenExpiredError)
  /// A model was not found.
  public static let managedObjectModelReferenceNotFound = CocoaError.Code(
    rawValue: NSManagedObjectModelReferenceNotFoundError)
  /// A store must be opened by another version first.
  public static let stagedMigrationFrameworkVersionMismatch = CocoaError.Code(
    rawValue: NSStagedMigrationFrameworkVersionMismatchError)
  /// A staged migration would go backwards.
  public static let stagedMigrationBackwardMigration = CocoaError.Code(
    rawValue: NSStagedMigrationBackwardMigrationError)
}
#endif
