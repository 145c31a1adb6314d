// SPDX-License-Identifier: Apache-2.0

extension PersistenceError.Code {
  /// The default remedy for each code.
  static let remedies: [Self: String] = validationRemedies.merging(storeRemedies) { first, _ in
    first
  }.merging(programRemedies) { first, _ in first }

  private static let validationRemedies: [Self: String] = [
    .managedObjectValidation: "Set a value that the rule allows, and save again.",
    .validationMultipleErrors: "Mend each of the failures that follow, and save again.",
    .validationMissingMandatoryProperty:
      "Give the property a value, or a default in the model, or make it optional.",
    .validationRelationshipLacksMinimumCount: "Add destinations, or lower the minimum.",
    .validationRelationshipExceedsMaximumCount: "Remove destinations, or raise the maximum.",
    .validationRelationshipDeniedDelete:
      "Empty the relationship or delete its destinations too, and save again.",
    .validationNumberTooLarge: "Set a smaller number, or raise the maximum.",
    .validationNumberTooSmall: "Set a larger number, or lower the minimum.",
    .validationDateTooLate: "Set an earlier date, or move the bound.",
    .validationDateTooSoon: "Set a later date, or move the bound.",
    .validationInvalidDate: "Set another date.",
    .validationStringTooLong: "Set a shorter text, or raise the maximum.",
    .validationStringTooShort: "Set a longer text, or lower the minimum.",
    .validationStringPatternMatching: "Set a text that the pattern matches.",
    .validationInvalidURI: "Set another URI.",
    .objectReferentialIntegrity:
      "The record was deleted: give the object up, or roll the context back.",
    .managedObjectMerge:
      "Refresh the objects and save again, use a transaction of the container, or set a merge policy.",
    .managedObjectConstraintMerge:
      "Give the objects another value, find the record that has it, or set a merge policy.",
    .externalRelationship:
      "Let the relationship cross stores, assign both objects to one store, or keep a value instead.",
  ]

  private static let storeRemedies: [Self: String] = [
    .persistentStoreInvalidType: "Import the backend and use its description, as .sqlite(at:).",
    .persistentStoreTypeMismatch: "Open the file with the kind of store that wrote it.",
    .persistentStoreIncompatibleSchema:
      "Put a copy of the store in its place, or open it with the model that it was made with.",
    .persistentStoreSave: "Look at what the engine said, in `underlying`, and save again.",
    .persistentStoreIncompleteSave: "Look at the failures that follow; a save writes the rest.",
    .coreData: "Look at the message: it says which part of the program is not fit.",
    .migration: "Repair the records with the old model, or describe the change by a mapping model.",
    .migrationCancelled: "Nothing is to be done: the next opening begins the migration again.",
    .migrationMissingSourceModel:
      "Name the model that the store was written with in the description's `migration`.",
    .migrationMissingMappingModel:
      "Add a mapping model to the description's `migration`, or let the migration be inferred.",
    .migrationManagerSourceStore: "See that the source is there and readable, in `underlying`.",
    .migrationManagerDestinationStore:
      "See that the destination can be made and written, in `underlying`.",
    .entityMigrationPolicy: "Look at what the policy threw, in `underlying`, and mend the policy.",
    .inferredMappingModel:
      "Give defaults or renaming identifiers, or describe the change by a mapping model.",
    .stagedMigrationUnknownVersion: "Add the missing checksums to the stages.",
    .stagedMigrationBackward: "Open the store with a program that knows its version.",
    .migrationConstraintViolation:
      "Open the store with the old model, and change or remove the records.",
    .persistentHistoryTokenExpired:
      "Read what you need anew from the store, and go on from its current token.",
    .persistentStoreOperation: "Look at what the engine said, in `underlying`.",
    .persistentStoreOpen:
      "See that the folder exists and is readable, and that the file is a store.",
    .persistentStoreTimeout:
      "Ask again, or allow more time with `timeout` of the store's description.",
    .persistentStoreUnsupportedRequestType: "Use a request that the store can execute.",
    .persistentStoreIncompatibleVersionHash:
      "Open the store with the model that it was written with, or migrate it.",
    .userCancelled: "Nothing is to be done: the changes are all still there.",
    .readOnlyStore: "Add the store without `isReadOnly`, or add another one that can be written.",
    .noStore: "Call `loadPersistentStores()`, or add a store whose configuration has the entity.",
    .invalidStoreAssignment:
      "Assign a new object to a writable store that has its entity, before it is saved.",
    .storeFull: "Make room, and save again.",
    .corruptStore: "Put a copy of the store in its place.",
    .storeBusy: "Try again, or use a transaction of the container, which does.",
    .storeRemoved: "Add the store again, and fetch.",
    .commitOutcomeUnknown: "Read what the store has before you write again.",
  ]

  private static let programRemedies: [Self: String] = [
    .unknownKey: "Use the name of a property of the entity.",
    .invalidValue: "Set a value of the property's type.",
    .unknownEntity: "Add the class to the model, or use a name that `entitiesByName` has.",
    .invalidModel: "Mend each of the faults that follow, and make the coordinator again.",
    .modelInUse: "Copy the model, change the copy, and use that for new stores.",
    .invalidPredicate: "Mend the format at the position that the message names.",
    .invalidRequest: "Change the request as the message says.",
    .differentContexts: "Pass the ID, and get the object from the other context with it.",
    .abstractEntity: "Make an object of a concrete subentity.",
    .forbiddenByPolicy: "Change the request, prefetch, or change the policy of the context.",
    .endlessWillSave: "Let `willSave` change only what is not yet as it should be.",
    .transformation: "Give the attribute the codec that wrote the bytes, or set another value.",
    .arithmeticOverflow: "Ask for an average, or for fewer records.",
    .limitExceeded: "Ask for less at once, or in a simpler way.",
    .contextWithoutCoordinator: "Set the context's `persistentStoreCoordinator` or `parent`.",
    .saveInDoubt:
      "Attach the store that decides and try again; if it is gone for good, use `resolve`.",
    .readFailed: "Roll the context back or refresh the objects, and compute again.",
  ]
}
