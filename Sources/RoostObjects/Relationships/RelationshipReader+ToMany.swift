// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  /// Returns the state of a to-many relationship, loaded or not.
  func toManyLinks(_ relationship: RelationshipDescription) -> ToManyLinks {
    if !owner.linkTable.isEmpty, case .toMany(let known) = owner.linkTable[relationship.ordinal] {
      return known
    }
    if owner.contextReference == nil { owner.orphan.requireContext(toRead: relationship) }
    // An object without a record has only the destinations added in memory.
    let result = ToManyLinks(
      isLoaded: owner.context == nil || !owner.isKnownBelow || owner.flags.contains(.inserted)
        || relationship.isTransient && owner.context?.parentContext == nil,
      isOrdered: relationship.isOrdered)
    owner.editor.setLink(.toMany(result), relationship.ordinal)
    return result
  }

  /// Returns the relationship with its destinations loaded; not loaded, if they cannot be read.
  func loadedLinks(_ relationship: RelationshipDescription) -> ToManyLinks {
    let links = toManyLinks(relationship)
    if !links.isLoaded { owner.context?.loader.loadDestinations(of: relationship, for: owner) }
    return links
  }

  /// Returns the destinations of a to-many relationship, in order.
  func destinations(_ relationship: RelationshipDescription)
    -> ContiguousArray<ManagedObject>
  {
    loadedLinks(relationship).members
  }

  /// Whether a to-many relationship of a saved object is still to be read, regardless of additions.
  func hasUnloadedDestinations(_ relationship: RelationshipDescription) -> Bool {
    owner.isKnownBelow && !owner.related.toManyLinks(relationship).isLoaded
  }

  /// Returns the to-many relationship with a name.
  func toManyRelationship(_ key: String) throws(PersistenceError) -> RelationshipDescription {
    guard let relationship = owner.binding.relationship(named: key), relationship.isToMany else {
      throw owner.keyed.unknownKey(key)
    }
    return relationship
  }
}
