// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  /// Takes over the stored destinations of a relationship, except for those that have another owner by now, or whose
  /// deletion was propagated: the state in memory wins (B49, B84).
  func takeStoredDestinations(
    _ stored: ContiguousArray<ManagedObject>, positions: [Int64],
    of relationship: RelationshipDescription
  ) {
    let links = toManyLinks(relationship)
    guard !links.isLoaded else { return }
    links.load(stored, positions: positions)
    guard owner.context?.changes.deletedCount != 0 else { return }
    for object in stored where object.flags.isSuperset(of: [.deleted, .propagated]) {
      // Rollback must restore it, and so must an undo of the event that deletes it.
      let isLeft =
        object.flags.contains(.inEvent)
        ? owner.editor.unlink(relationship, object) : links.remove(object)
      if isLeft { owner.editor.noteLinkChange(relationship) }
    }
  }
}
