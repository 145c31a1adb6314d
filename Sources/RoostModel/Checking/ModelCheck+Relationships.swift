// SPDX-License-Identifier: Apache-2.0

extension ModelCheck {
  /// Relationships: destination, inverse, counts, order.
  mutating func checkRelationship(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) {
    let key = relationship.name
    if let destination = relationship.destinationEntity {
      if !isMember(destination) {
        report(
          "The destination “\(destination.name ?? "")” is not part of the model.", entity, key)
      }
    } else {
      report("The relationship has no destination.", entity, key)
    }
    if relationship.minCount < 0 || relationship.maxCount < 0 {
      report("The number of destinations cannot be negative.", entity, key)
    }
    if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
      report("The smallest number of destinations is larger than the largest.", entity, key)
    }
    if relationship.isOrdered, !relationship.isToMany {
      report("A to-one relationship cannot be ordered.", entity, key)
    }
    if let inverse = relationship.inverseRelationship {
      checkInverse(inverse, of: relationship, entity)
    }
  }

  private mutating func checkInverse(
    _ inverse: RelationshipDescription, of relationship: RelationshipDescription,
    _ entity: EntityDescription
  ) {
    let key = relationship.name
    let name = "\(inverse.entity?.name ?? "").\(inverse.name)"
    if inverse.inverseRelationship == nil {
      report("The inverse “\(name)” does not name this relationship as its inverse.", entity, key)
    }
    if let destination = relationship.destinationEntity, inverse.entity !== destination {
      report(
        "The inverse “\(name)” does not belong to the destination “\(destination.name ?? "")”.",
        entity, key)
    }
    // An inverse that names a third relationship cannot be maintained.
    guard relationship.maintainedInverse != nil else { return }
    if inverse.destinationEntity !== entity {
      report("The inverse “\(name)” does not lead back to this entity.", entity, key)
    }
    if inverse.isTransient != relationship.isTransient {
      report("A relationship and its inverse are both stored or both transient.", entity, key)
    }
  }
}
