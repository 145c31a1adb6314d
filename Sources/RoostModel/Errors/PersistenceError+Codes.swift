// SPDX-License-Identifier: Apache-2.0

extension PersistenceError.Code {
  /// A property has a value that a rule of the model refuses.
  public static let managedObjectValidation = Self(rawValue: 1550)
  /// Several validations failed; the failures are the underlying errors.
  public static let validationMultipleErrors = Self(rawValue: 1560)
  /// A property that needs a value has none.
  public static let validationMissingMandatoryProperty = Self(rawValue: 1570)
  /// A to-many relationship has too few destinations.
  public static let validationRelationshipLacksMinimumCount = Self(rawValue: 1580)
  /// A to-many relationship has too many destinations.
  public static let validationRelationshipExceedsMaximumCount = Self(rawValue: 1590)
  /// An object cannot be deleted while a relationship whose rule is deny has destinations.
  public static let validationRelationshipDeniedDelete = Self(rawValue: 1600)
  /// A number is larger than allowed.
  public static let validationNumberTooLarge = Self(rawValue: 1610)
  /// A number is smaller than allowed.
  public static let validationNumberTooSmall = Self(rawValue: 1620)
  /// A date is later than allowed.
  public static let validationDateTooLate = Self(rawValue: 1630)
  /// A date is earlier than allowed.
  public static let validationDateTooSoon = Self(rawValue: 1640)
  /// A date is not valid.
  public static let validationInvalidDate = Self(rawValue: 1650)
  /// A string is longer than allowed.
  public static let validationStringTooLong = Self(rawValue: 1660)
  /// A string is shorter than allowed.
  public static let validationStringTooShort = Self(rawValue: 1670)
  /// A string does not match its pattern.
  public static let validationStringPatternMatching = Self(rawValue: 1680)
  /// A URI is not valid.
  public static let validationInvalidURI = Self(rawValue: 1690)

  /// A fault cannot be fulfilled: its record was deleted.
  public static let objectReferentialIntegrity = Self(rawValue: 133000)
  /// A record was changed since this context read it.
  public static let managedObjectMerge = Self(rawValue: 133020)
  /// A unique constraint is violated.
  public static let managedObjectConstraintMerge = Self(rawValue: 133021)
  /// A relationship crosses stores.
  public static let externalRelationship = Self(rawValue: 133010)

  /// The store type is not known.
  public static let persistentStoreInvalidType = Self(rawValue: 134000)
  /// A file belongs to another type of store.
  public static let persistentStoreTypeMismatch = Self(rawValue: 134010)
  /// The model does not fit the store's configuration.
  public static let persistentStoreIncompatibleSchema = Self(rawValue: 134020)
  /// A save failed.
  public static let persistentStoreSave = Self(rawValue: 134030)
  /// A save failed in some of its stores; the failures are the underlying errors.
  public static let persistentStoreIncompleteSave = Self(rawValue: 134040)
  /// The model or coordinator is not fit to save.
  public static let coreData = Self(rawValue: 134060)
  /// An operation on a store failed.
  public static let persistentStoreOperation = Self(rawValue: 134070)
  /// A store cannot be opened.
  public static let persistentStoreOpen = Self(rawValue: 134080)
  /// A store did not answer in time.
  public static let persistentStoreTimeout = Self(rawValue: 134090)
  /// A request is of a kind that the store cannot execute.
  public static let persistentStoreUnsupportedRequestType = Self(rawValue: 134091)
  /// The model differs from the one that the store was written with.
  public static let persistentStoreIncompatibleVersionHash = Self(rawValue: 134100)
  /// Records violate a unique constraint of the new model.
  public static let migrationConstraintViolation = Self(rawValue: 134111)
  /// A migration failed; the store is unchanged.
  public static let migration = Self(rawValue: 134110)
  /// A migration was cancelled; the store is unchanged.
  public static let migrationCancelled = Self(rawValue: 134120)
  /// The model that a store was written with is not available, so the store cannot be migrated.
  public static let migrationMissingSourceModel = Self(rawValue: 134130)
  /// No mapping model leads from the model of a store to the one that it is opened with.
  public static let migrationMissingMappingModel = Self(rawValue: 134140)
  /// The store that a migration reads could not be opened or read.
  public static let migrationManagerSourceStore = Self(rawValue: 134150)
  /// The store that a migration writes could not be opened or written.
  public static let migrationManagerDestinationStore = Self(rawValue: 134160)
  /// The migration policy of an entity failed.
  public static let entityMigrationPolicy = Self(rawValue: 134170)
  /// No mapping can be inferred between two models.
  public static let inferredMappingModel = Self(rawValue: 134190)
  /// The history of a store does not go back to a token.
  public static let persistentHistoryTokenExpired = Self(rawValue: 134301)
  /// The stages of a migration do not know the version of a store, or do not lead from it to the model.
  public static let stagedMigrationUnknownVersion = Self(rawValue: 134504)
  /// The stages of a migration would lead back to an earlier version.
  public static let stagedMigrationBackward = Self(rawValue: 134506)

  /// The request was cancelled. The number is Foundation's user cancellation code.
  public static let userCancelled = Self(rawValue: 3072)

  // Codes without a Core Data number, or for cases where Core Data traps.

  /// A key names no property of the entity.
  public static let unknownKey = Self(rawValue: 900_001)
  /// A value is of another type than its property.
  public static let invalidValue = Self(rawValue: 900_002)
  /// The entity is not part of the model.
  public static let unknownEntity = Self(rawValue: 900_003)
  /// The model is not consistent; the faults are the underlying errors.
  public static let invalidModel = Self(rawValue: 900_004)
  /// The model is in use and cannot be changed.
  public static let modelInUse = Self(rawValue: 900_005)
  /// A predicate's format cannot be parsed; the message names the position.
  public static let invalidPredicate = Self(rawValue: 900_006)
  /// A request contradicts itself or the model.
  public static let invalidRequest = Self(rawValue: 900_007)
  /// An object belongs to another context.
  public static let differentContexts = Self(rawValue: 900_008)
  /// An abstract entity has no instances.
  public static let abstractEntity = Self(rawValue: 900_009)
  /// A store is read-only.
  public static let readOnlyStore = Self(rawValue: 900_010)
  /// No store can take an object.
  public static let noStore = Self(rawValue: 900_011)
  /// An object cannot be assigned to a store.
  public static let invalidStoreAssignment = Self(rawValue: 900_012)
  /// A store has no space left.
  public static let storeFull = Self(rawValue: 900_013)
  /// A store is damaged.
  public static let corruptStore = Self(rawValue: 900_014)
  /// A store is locked by another process or connection, and was not released in time.
  public static let storeBusy = Self(rawValue: 900_015)
  /// A store was removed from its coordinator.
  public static let storeRemoved = Self(rawValue: 900_016)
  /// It is unknown whether a commit took effect.
  public static let commitOutcomeUnknown = Self(rawValue: 900_017)
  /// A policy forbids an operation that the request needs, such as an in-memory scan or an implicit round trip.
  public static let forbiddenByPolicy = Self(rawValue: 900_018)
  /// `willSave` kept changing objects repeatedly.
  public static let endlessWillSave = Self(rawValue: 900_019)
  /// A transformable value cannot be encoded or decoded.
  public static let transformation = Self(rawValue: 900_020)
  /// An aggregate left the range of its type.
  public static let arithmeticOverflow = Self(rawValue: 900_021)
  /// A size, depth or count is beyond a limit.
  public static let limitExceeded = Self(rawValue: 900_022)
  /// The context has no coordinator, or was used after it was invalidated.
  public static let contextWithoutCoordinator = Self(rawValue: 900_023)
  /// A store waits for the decision on a save over several stores, and the store that decides cannot be asked now.
  public static let saveInDoubt = Self(rawValue: 900_024)
  /// Values could not be read where no error can be thrown, and the program may have used the substitute values.
  public static let readFailed = Self(rawValue: 900_030)
}
