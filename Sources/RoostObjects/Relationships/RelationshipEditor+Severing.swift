// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipEditor {
  /// Removes all destinations: from last to first, so that in an ordered relationship none has to move.
  func severAll(_ relationship: RelationshipDescription) {
    for destination in owner.related.allDestinations(relationship).reversed() {
      sever(relationship, destination)
    }
  }

  /// Removes one destination, on both sides.
  func sever(_ relationship: RelationshipDescription, _ destination: ManagedObject) {
    if relationship.isToMany {
      removeDestination(relationship, destination)
    } else {
      setDestination(relationship, nil)
    }
  }
}
