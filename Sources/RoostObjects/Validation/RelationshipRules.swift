// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The model's rules for relationships: presence, minimum and maximum count (B9, B150).
enum RelationshipRules {
  static func check(
    _ relationship: RelationshipDescription, of object: ManagedObject
  ) throws(PersistenceError) {
    let count =
      relationship.isToMany
      ? try object.related.readMemberCount(relationship)
      : try object.related.readDestination(relationship.ordinal) == nil ? 0 : 1
    try check(count, relationship, of: object)
  }

  /// Validates a number of destinations.
  static func check(
    _ count: Int, _ relationship: RelationshipDescription, of object: ManagedObject
  ) throws(PersistenceError) {
    guard relationship.isToMany else {
      if count == 0, !relationship.isOptional {
        throw failure(
          .validationMissingMandatoryProperty, "%@ needs a destination.", relationship, object)
      }
      return
    }
    // A to-many relationship is never nil: being required demands nothing of its destinations (B340).
    if count == 0, relationship.isOptional || relationship.minCount == 0 { return }
    if count == 0, relationship.minCount == 1 {
      throw failure(
        .validationMissingMandatoryProperty, "%@ needs a destination.",
        relationship, object)
    }
    if count < relationship.minCount {
      throw failure(
        .validationRelationshipLacksMinimumCount,
        "%@ has %d destinations, needs %d.", relationship, object,
        [count, relationship.minCount])
    }
    if relationship.maxCount > 0, count > relationship.maxCount {
      throw failure(
        .validationRelationshipExceedsMaximumCount,
        "%@ has %d destinations, allows %d.", relationship, object,
        [count, relationship.maxCount])
    }
  }

  /// Whether a relationship has to be checked: one without rules, or untouched, needs no destinations to be read.
  static func needsCheck(
    _ relationship: RelationshipDescription, of object: ManagedObject
  ) -> Bool {
    isTouched(relationship, of: object) && relationship.limitsDestinations
  }

  /// Whether validation has to check a relationship that may have changed.
  static func isTouched(
    _ relationship: RelationshipDescription, of object: ManagedObject
  ) -> Bool {
    object.flags.contains(.inserted) || object.changedLinks.contains(relationship.ordinal)
  }

  private static func failure(
    _ code: PersistenceError.Code, _ message: String, _ relationship: RelationshipDescription,
    _ object: ManagedObject, _ numbers: [Int] = []
  ) -> PersistenceError {
    PersistenceError(
      code, ValidationMessages(entity: object.entity).sentence(message, relationship, numbers),
      entityName: object.entity.name, key: relationship.name,
      objectIDs: [object.identity])
  }
}
