// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension SaveEngine {
  /// Makes the loaded inverses of a to-one relationship load again, at the old destination and at the new one.
  func forgetInverse(
    of relationship: RelationshipDescription, from source: ManagedObject, keys rows: [Row],
    slot: RowSlot
  ) {
    guard let inverse = relationship.maintainedInverse else { return }
    for row in rows {
      guard let key = row.reference(slot),
        let id = context.loader.destinationID(forKey: key, from: source),
        let destination = context.registry.object(for: id), !destination.links.isEmpty
      else { continue }
      destination.restoring.forgetLoaded(inverse)
    }
  }
}
