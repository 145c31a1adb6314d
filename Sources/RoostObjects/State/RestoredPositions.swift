// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The positions that destinations had in ordered relationships before transactions that are being reverted.
///
/// The save assigns them again: a record that comes back to the same place, but under another position, could not be
/// compared with the positions that earlier transactions have recorded.
struct RestoredPositions {
  private struct List: Hashable {
    var owner: ObjectID
    var relationship: String
  }

  private var lists: [List: [ObjectID: Int64]] = [:]

  var isEmpty: Bool { lists.isEmpty }

  /// Notes positions, in place of those that were noted before.
  mutating func note(
    _ positions: [ObjectID: Int64], in relationship: RelationshipDescription, of owner: ObjectID
  ) {
    let list = List(owner: owner, relationship: relationship.name)
    lists[list, default: [:]].merge(positions) { $1 }
  }

  /// Returns the positions to keep of some members: the restored ones, otherwise the stored ones.
  func positions(
    of members: some Sequence<ManagedObject>, stored: [Int64?],
    in relationship: RelationshipDescription, of owner: ManagedObject
  ) -> [Int64?] {
    let list = List(owner: owner.identity, relationship: relationship.name)
    guard let restored = lists[list] else { return stored }
    return zip(members, stored).map { restored[$0.identity] ?? $1 }
  }
}

extension SavingState {
  /// Forgets the reverts, which were saved or rolled back.
  mutating func endReverts() {
    reverts = []
    restoredPositions = RestoredPositions()
  }
}
