// SPDX-License-Identifier: Apache-2.0

/// For each error code of the catalogue, the tests that follow the catalogue's advice: IDs of cases of the
/// conformance kit, or titles of other tests. A code without tests has a reason.
enum WaysOut {
  enum Proof {
    /// Cases of the kit by ID, and tests by a part of their title.
    case tests([String])
    /// The reason why there is nothing to test.
    case none(String)
  }

  static let proofs: [String: Proof] = [
    "managedObjectValidation": .tests(["validation.way-out.managedObjectValidation"]),
    "validationMissingMandatoryProperty": .tests([
      "validation.way-out.validationMissingMandatoryProperty",
      "validation.way-out.default",
    ]),
    "validationNumberTooLarge": .tests(["validation.way-out.validationNumberTooLarge"]),
    "validationNumberTooSmall": .tests(["validation.way-out.validationNumberTooSmall"]),
    "validationDateTooLate": .tests(["validation.way-out.validationDateTooLate"]),
    "validationDateTooSoon": .tests(["validation.way-out.validationDateTooSoon"]),
    "validationStringTooLong": .tests(["validation.way-out.validationStringTooLong"]),
    "validationStringTooShort": .tests(["validation.way-out.validationStringTooShort"]),
    "validationStringPatternMatching": .tests([
      "validation.way-out.validationStringPatternMatching"
    ]),
    "validationMultipleErrors": .tests(["validation.way-out.validationMultipleErrors"]),
    "validationRelationshipLacksMinimumCount": .tests([
      "validation.way-out.validationRelationshipLacksMinimumCount"
    ]),
    "validationRelationshipExceedsMaximumCount": .tests([
      "validation.way-out.validationRelationshipExceedsMaximumCount"
    ]),
    "validationRelationshipDeniedDelete": .tests([
      "validation.way-out.validationRelationshipDeniedDelete.emptied",
      "validation.way-out.validationRelationshipDeniedDelete.other-side",
      "validation.way-out.validationRelationshipDeniedDelete.destinations",
    ]),
    "validationInvalidDate": .none("Roost throws it nowhere."),
    "validationInvalidURI": .none("Roost throws it nowhere."),
    "objectReferentialIntegrity": .tests(["misuse.way-out.objectReferentialIntegrity"]),
    "externalRelationship": .tests([
      "severalStores.way-out.externalRelationship.code",
      "severalStores.way-out.externalRelationship.assigned", "acrossStores.refused",
    ]),
    "managedObjectMerge": .tests([
      "conflicts.way-out.merge",
      "conflicts.way-out.all",
      "conflicts.way-out.refresh",
      "conflicts.way-out.rollback",
      "conflicts.way-out.reset",
      "conflicts.way-out.context",
      "conflicts.way-out.policy",
      "conflicts.way-out.deleted.merge",
      "conflicts.way-out.deleted.refresh",
      "conflicts.way-out.deleted.all",
      "conflicts.way-out.loop.merge",
      "conflicts.way-out.loop.all",
      "conflicts.way-out.loop.refresh",
      "conflicts.way-out.loop.rollback",
      "conflicts.way-out.loop.reset",
      "conflicts.way-out.loop.context",
    ]),
    "managedObjectConstraintMerge": .tests([
      "constraints.way-out.changed",
      "constraints.way-out.deleted",
      "constraints.way-out.policy",
    ]),
    "persistentStoreInvalidType": .tests([
      "a type is found by its name; an unknown name is 134000; nil forgets it"
    ]),
    "persistentStoreTypeMismatch": .tests([
      "a file of another kind is refused and left as it is (B241)",
      "a store of Core Data's is refused by that name, and is left as it is",
    ]),
    "persistentStoreIncompatibleSchema": .tests([
      "every table that a store has made is missed (B14)",
      "metadata.way-out.persistentStoreIncompatibleSchema",
    ]),
    "persistentStoreSave": .none("It holds what the engine said; what helps depends on that."),
    "persistentStoreIncompleteSave": .tests([
      "severalStores.way-out.persistentStoreIncompleteSave"
    ]),
    "coreData": .none("Roost throws it nowhere."),
    "persistentStoreOperation": .none("It holds what the engine said; what helps depends on that."),
    "persistentStoreOpen": .tests([
      "metadata.missing-folder",
      "metadata.unfinished-copy",
      "a pooler in transaction mode that was not declared is refused",
      "a pooler in session mode needs no declaration",
    ]),
    "persistentStoreTimeout": .tests([
      "a server that falls silent is given up at the deadline, and used again afterwards"
    ]),
    "persistentStoreUnsupportedRequestType": .tests(["testFetchRequestsAreFetchedAndNotExecuted"]),
    "persistentStoreIncompatibleVersionHash": .tests([
      "metadata.way-out.persistentStoreIncompatibleVersionHash",
      "metadata.ignored-default",
    ]),
    "migrationConstraintViolation": .tests(["metadata.way-out.migrationConstraintViolation"]),
    "migration": .tests(["evolution.abstract", "evolution.links-to-one"]),
    "migrationCancelled": .tests(["evolution.cancelled"]),
    "migrationMissingSourceModel": .tests([
      "a mapping model is found in bundles by hashes, and the wrong ones are passed over (M7)"
    ]),
    "migrationMissingMappingModel": .tests([
      "without a mapping model that fits, and without inference, there is an error (134140, M2)"
    ]),
    "migrationManagerSourceStore": .tests([
      "stores that cannot be opened are told apart (134150, 134160)"
    ]),
    "migrationManagerDestinationStore": .tests([
      "a destination that an earlier migration has not finished is made anew (M50)"
    ]),
    "entityMigrationPolicy": .tests([
      "a policy that throws ends the migration with its error, and nothing is left (B270)"
    ]),
    "inferredMappingModel": .tests(["evolution.add-defaults", "evolution.rename"]),
    "stagedMigrationUnknownVersion": .tests([
      "a version without a stage, and a gap, leave the store untouched (134504, B266, M29)"
    ]),
    "stagedMigrationBackward": .none("A program that knows the version opens the store as always."),
    "persistentHistoryTokenExpired": .tests(["history.way-out.persistentHistoryTokenExpired"]),
    "userCancelled": .tests(["fetching.asynchronous.cancelled"]),
    "unknownKey": .tests(["misuse.way-out.unknownKey"]),
    "invalidValue": .tests([
      "misuse.way-out.invalidValue",
      "metadata.unknown-option",
      "metadata.property-option",
    ]),
    "unknownEntity": .tests(["misuse.way-out.unknownEntity"]),
    "invalidModel": .tests(["misuse.way-out.invalidModel"]),
    "modelInUse": .tests(["misuse.way-out.modelInUse"]),
    "invalidPredicate": .tests(["misuse.way-out.invalidPredicate"]),
    "invalidRequest": .tests([
      "misuse.way-out.invalidRequest",
      "the refusal says what the getter reads and what can be done",
      "a condition of stored properties and of their aliases is answered",
    ]),
    "differentContexts": .tests(["misuse.way-out.differentContexts"]),
    "abstractEntity": .tests(["misuse.way-out.abstractEntity"]),
    "readOnlyStore": .tests(["severalStores.way-out.readOnlyStore"]),
    "noStore": .tests([
      "severalStores.way-out.noStore",
      "severalStores.way-out.noStore.none",
      "severalStores.way-out.noStore.failed",
    ]),
    "invalidStoreAssignment": .tests(["severalStores.way-out.invalidStoreAssignment"]),
    "storeFull": .tests([
      "a full store says so, keeps what it has, and goes on when there is room again",
      "a store at its largest size refuses a save as a whole, and goes on with what fits",
    ]),
    "corruptStore": .tests([
      "metadata.way-out.corruptStore",
      "an error of a damaged value names the entity",
    ]),
    "storeBusy": .tests([
      "whoever waits for another writer waits until the time is over, then is told"
    ]),
    "storeRemoved": .tests(["severalStores.way-out.storeRemoved"]),
    "commitOutcomeUnknown": .tests(["saving.lost-answer", "conflicts.way-out.derived"]),
    "forbiddenByPolicy": .tests(["misuse.way-out.forbiddenByPolicy"]),
    "endlessWillSave": .tests(["events.save.endless"]),
    "transformation": .tests([
      "bytes that cannot be read are told to the save, and read as the initial value"
    ]),
    "arithmeticOverflow": .tests(["misuse.way-out.arithmeticOverflow"]),
    "limitExceeded": .tests(["misuse.way-out.limitExceeded"]),
    "saveInDoubt": .tests([
      "severalStores.atomic.alone",
      "severalStores.atomic.by-hand",
    ]),
    "contextWithoutCoordinator": .tests(["misuse.way-out.contextWithoutCoordinator"]),
    "readFailed": .tests([
      "faulting.failed-read.total",
      "faulting.failed-read.refresh",
      "faulting.failed-read.reset",
      "faulting.failed-read.handler",
    ]),
  ]
}
