// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension KeyedAccess {
  func primitiveDestinations(_ relationship: RelationshipDescription) -> Any? {
    // The row of an object that is not a fault has the to-one destination, whether it was accessed or not (B355).
    if !relationship.isToMany, owner.memory != nil,
      owner.binding.referenceSlots[relationship.ordinal] != nil
    {
      return owner.related.destination(relationship.ordinal)
    }
    guard !owner.links.isEmpty else { return nil }
    switch owner.links[relationship.ordinal] {
    case .unloaded: return nil
    case .toOne(let object): return object
    case .toMany(let known):
      guard known.isLoaded else { return nil }
      return relationship.isOrdered ? Array(known.members) : Set(known.members)
    }
  }

  func setPrimitiveDestinations(
    _ relationship: RelationshipDescription, _ objects: ContiguousArray<ManagedObject>
  ) {
    guard relationship.isToMany else {
      owner.editor.setLink(.toOne(objects.first), relationship.ordinal)
      return
    }
    let links = owner.related.loadedLinks(relationship)
    let wanted = Set(objects.map(ObjectIdentifier.init))
    for member in links.members where !wanted.contains(ObjectIdentifier(member)) {
      links.remove(member)
    }
    for object in objects { links.add(object) }
    if relationship.isOrdered { links.reorder(objects) }
  }
}
