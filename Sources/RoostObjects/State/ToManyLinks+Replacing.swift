// SPDX-License-Identifier: Apache-2.0

// Changes of the destinations, or of the stored ones, that are not changes of the relationship.
extension ToManyLinks {
  /// Moves additions behind all others, in their order, while the destinations are not loaded.
  func reorderAdditions(_ objects: [ManagedObject]) {
    for object in objects where takeFromAdded(object) { appendAddition(object) }
    typedCollection = nil
  }

  /// Discards the stored destinations, to read them again; additions and removals stay. A new order that is not saved
  /// yet is kept as a whole.
  func unload() {
    guard isLoaded, !wasReordered else { return }
    takeMembers([], committed: [], positions: [])
    isLoaded = false
  }

  /// Makes every destination an addition, because the store has none of them.
  func becomeNew() {
    guard isLoaded else { return }
    let all = members
    takeMembers([], committed: [], positions: [])
    dropChanges()
    for member in all { add(member) }
  }

  /// Replaces some destinations, or removes them, whether they are saved or not.
  func replace(
    _ isConcerned: (ManagedObject) -> Bool, by replacement: (ManagedObject) -> ManagedObject?
  ) {
    guard
      members.contains(where: isConcerned) || committed.contains(where: isConcerned)
        || added.contains(where: isConcerned) || removed.values.contains(where: isConcerned)
    else { return }
    replaceObjects(replacement)
  }

  /// Replaces one object with another.
  func substitute(_ old: ManagedObject, by new: ManagedObject) {
    let id = ObjectIdentifier(old)
    guard contains(old) == true || removed[id] != nil else { return }
    replaceObjects { $0 === old ? new : $0 }
  }
}
