// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  /// Takes over what the store has for a relationship. A destination that points elsewhere by now, or whose deletion
  /// has had its consequences, is not one any more: what is in memory wins (B49, B84).
  func takeStoredDestinations(
    _ stored: ContiguousArray<ManagedObject>, positions: [Int64],
    of relationship: RelationshipDescription
  ) {
    let links = toManyLinks(relationship)
    guard !links.isLoaded else { return }
    links.load(stored, positions: positions)
    guard owner.context?.changes.deletedCount != 0 else { return }
    for object in stored where object.flags.isSuperset(of: [.deleted, .propagated]) {
      // A rollback has to bring it back, and so has an undo of the event that deletes it.
      let isLeft =
        object.flags.contains(.inEvent)
        ? owner.editor.unlink(relationship, object) : links.remove(object)
      if isLeft { owner.editor.noteLinkChange(relationship) }
    }
  }
}
