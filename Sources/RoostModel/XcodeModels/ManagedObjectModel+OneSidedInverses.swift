// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
  /// Adds notes about inverses that name a relationship with another inverse: they are valid, but cannot be
  /// maintained.
  func noteOneSidedInverses() {
    for entity in entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        guard let inverse = relationship.inverseRelationship, inverse.inverseRelationship != nil,
          relationship.maintainedInverse == nil
        else { continue }
        let name = "\(entity.name ?? "").\(relationship.name)"
        let inverseName = "\(inverse.entity?.name ?? "").\(inverse.name)"
        readingNotes.append(
          "The inverse of “\(name)”, “\(inverseName)”, has another inverse: neither changes the other."
        )
      }
    }
  }
}
