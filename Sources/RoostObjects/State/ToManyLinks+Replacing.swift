// SPDX-License-Identifier: Apache-2.0

// What happens to a relationship when its destinations, or what the store knows of them, change behind its back.
extension ToManyLinks {
  /// Puts additions behind all others, in their order, while the destinations are not loaded.
  func reorderAdditions(_ objects: [ManagedObject]) {
    for object in objects where takeFromAdded(object) { appendAddition(object) }
    typedCollection = nil
  }

  /// Forgets what the store has, to look it up again; additions and removals stay. A new order that was made here is
  /// kept as a whole.
  func unload() {
    guard isLoaded, !wasReordered else { return }
    takeMembers([], committed: [], positions: [])
    isLoaded = false
  }

  /// Counts every destination as added, because the store knows none of them.
  func becomeNew() {
    guard isLoaded else { return }
    let all = members
    takeMembers([], committed: [], positions: [])
    dropChanges()
    for member in all { add(member) }
  }

  /// Puts others in the places of some destinations, or nobody, whether they are saved or not.
  func replace(
    _ isConcerned: (ManagedObject) -> Bool, by replacement: (ManagedObject) -> ManagedObject?
  ) {
    guard
      members.contains(where: isConcerned) || committed.contains(where: isConcerned)
        || added.contains(where: isConcerned) || removed.values.contains(where: isConcerned)
    else { return }
    replaceObjects(replacement)
  }

  /// Puts one object into another's place.
  func substitute(_ old: ManagedObject, by new: ManagedObject) {
    let id = ObjectIdentifier(old)
    guard contains(old) == true || removed[id] != nil else { return }
    replaceObjects { $0 === old ? new : $0 }
  }
}
