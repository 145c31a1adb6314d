// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension KeyedAccess {
  func beginChange(
    of relationship: RelationshipDescription, concerning objects: Set<ManagedObject>?
  ) {
    guard owner.memory != nil || owner.fire() != nil else { return }
    guard !relationship.isToMany || owner.related.loadedLinks(relationship).isLoaded else { return }
    owner.editor.noteLinkChange(relationship)
    guard let context = owner.context, !owner.flags.contains(.awakening) else { return }
    let before: ContiguousArray<ManagedObject>
    if let objects {
      let links = owner.related.loadedLinks(relationship)
      before = ContiguousArray(objects.filter { links.contains($0) == true })
    } else {
      before = owner.related.allDestinations(relationship)
    }
    context.openChanges.append(
      OpenRelationshipChange(
        object: owner, ordinal: relationship.ordinal, before: before, concerned: objects))
  }

  /// Undoes the primitive change and repeats it as the relationship's setter does, inverses included.
  func endChange(of relationship: RelationshipDescription) {
    guard let context = owner.context,
      let index = context.openChanges.lastIndex(where: {
        $0.object === owner && $0.ordinal == relationship.ordinal
      })
    else { return }
    let change = context.openChanges.remove(at: index)
    let now = owner.related.allDestinations(relationship)
    guard relationship.isToMany else {
      owner.editor.setLink(.toOne(change.before.first), relationship.ordinal)
      owner.editor.setDestination(relationship, now.first)
      return
    }
    let links = owner.related.toManyLinks(relationship)
    let before = Set(change.before)
    if let concerned = change.concerned {
      for object in concerned {
        switch (before.contains(object), links.contains(object) == true) {
        case (false, true):
          links.remove(object)
          owner.editor.addDestination(relationship, object)
        case (true, false):
          links.add(object)
          owner.editor.removeDestination(relationship, object)
        default: break
        }
      }
      return
    }
    for object in now where !before.contains(object) { links.remove(object) }
    for object in change.before { links.add(object) }
    if relationship.isOrdered {
      links.reorder(change.before)
      links.forgetStoredOrder()
    }
    owner.editor.setDestinations(relationship, now)
  }
}
