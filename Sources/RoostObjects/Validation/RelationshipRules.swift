// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The model's rules for relationships: present, not too few, not too many (B9, B150).
enum RelationshipRules {
  static func check(
    _ relationship: RelationshipDescription, of object: ManagedObject
  ) throws(PersistenceError) {
    guard needsCheck(relationship, of: object) else { return }
    guard relationship.isToMany else {
      if object.destination(relationship.ordinal) == nil, !relationship.isOptional {
        throw failure(
          .validationMissingMandatoryProperty, "\(relationship.name) needs a destination.",
          relationship, object)
      }
      return
    }
    let count = object.destinations(relationship).count
    if count == 0, relationship.isOptional { return }
    if count == 0, relationship.minCount <= 1 {
      throw failure(
        .validationMissingMandatoryProperty, "\(relationship.name) needs a destination.",
        relationship, object)
    }
    if count < relationship.minCount {
      throw failure(
        .validationRelationshipLacksMinimumCount,
        "\(relationship.name) has \(count) destinations, needs \(relationship.minCount).",
        relationship, object)
    }
    if relationship.maxCount > 0, count > relationship.maxCount {
      throw failure(
        .validationRelationshipExceedsMaximumCount,
        "\(relationship.name) has \(count) destinations, allows \(relationship.maxCount).",
        relationship, object)
    }
  }

  /// A relationship without rules, or one that was not touched, needs no destinations to be read.
  private static func needsCheck(
    _ relationship: RelationshipDescription, of object: ManagedObject
  ) -> Bool {
    let isTouched =
      object.flags.contains(.inserted)
      || object.changedLinks.contains(relationship.ordinal)
    guard isTouched else { return false }
    return !relationship.isOptional
      || relationship.isToMany
        && (relationship.minCount > 0 || relationship.maxCount > 0)
  }

  private static func failure(
    _ code: PersistenceError.Code, _ message: String, _ relationship: RelationshipDescription,
    _ object: ManagedObject
  ) -> PersistenceError {
    PersistenceError(
      code, message, entityName: object.entity.name, key: relationship.name,
      objectIDs: [object.identity])
  }
}
