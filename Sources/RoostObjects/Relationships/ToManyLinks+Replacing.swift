// SPDX-License-Identifier: Apache-2.0

import RoostModel

// What happens to a relationship when its destinations, or what the store knows of them, change behind its back.
extension ToManyLinks {
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

  /// Drops destinations that are gone, whether they are saved or not.
  func expel(_ gone: Set<ObjectIdentifier>) {
    let isConcerned =
      members.contains { gone.contains(ObjectIdentifier($0)) }
      || committed.contains { gone.contains(ObjectIdentifier($0)) }
      || added.contains { gone.contains(ObjectIdentifier($0)) }
      || removed.keys.contains(where: gone.contains)
    guard isConcerned else { return }
    replaceObjects { gone.contains(ObjectIdentifier($0)) ? nil : $0 }
  }

  /// Puts one object into another's place.
  func substitute(_ old: ManagedObject, by new: ManagedObject) {
    let id = ObjectIdentifier(old)
    guard contains(old) == true || removed[id] != nil else { return }
    replaceObjects { $0 === old ? new : $0 }
  }
}
