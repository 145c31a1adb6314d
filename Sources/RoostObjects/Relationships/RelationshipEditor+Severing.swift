// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipEditor {
  /// Ends the relationship with all destinations: the last one first, so that an ordered one has none to move up.
  func severAll(_ relationship: RelationshipDescription) {
    for destination in owner.related.allDestinations(relationship).reversed() {
      sever(relationship, destination)
    }
  }

  /// Ends the relationship with one destination, on both sides.
  func sever(_ relationship: RelationshipDescription, _ destination: ManagedObject) {
    if relationship.isToMany {
      removeDestination(relationship, destination)
    } else {
      setDestination(relationship, nil)
    }
  }
}
