// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  /// Returns the destinations of any relationship as a list.
  func allDestinations(_ relationship: RelationshipDescription)
    -> ContiguousArray<ManagedObject>
  {
    if relationship.isToMany { return destinations(relationship) }
    return destination(relationship.ordinal).map { [$0] } ?? []
  }
}
