// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  /// Returns the destinations that are known without querying a store.
  func destinationsAtHand(
    _ relationship: RelationshipDescription
  ) -> ContiguousArray<ManagedObject> {
    guard relationship.isToMany else {
      return owner.isFault ? [] : destination(relationship.ordinal).map { [$0] } ?? []
    }
    let known = toManyLinks(relationship)
    return known.isLoaded ? known.members : ContiguousArray(known.added)
  }
}
