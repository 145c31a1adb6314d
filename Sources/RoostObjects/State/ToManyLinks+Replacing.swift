// SPDX-License-Identifier: Apache-2.0

// Changes of the destinations, or of the stored ones, that are not changes of the relationship.
extension ToManyLinks {
  /// Moves additions behind all others, in their order, while the destinations are not loaded.
  func reorderAdditions(_ objects: [ManagedObject]) {
    for object in objects where takeFromAdded(object) { appendAddition(object) }
    typedCollection = nil
  }

  /// Discards the stored destinations, to read them again; additions, removals and a new order stay.
  func unload() {
    guard isLoaded else { return }
    if wasReordered { wantedOrder = members }
    takeMembers([], committed: [], positions: [])
    assignedPositions = []
    isLoaded = false
  }

  /// Returns destinations in the order that was set before they were discarded; those that it does not have come last,
  /// as in an order that a parent takes over from a child.
  func inWantedOrder(
    _ objects: ContiguousArray<ManagedObject>
  ) -> ContiguousArray<ManagedObject> {
    let present = Set(objects.lazy.map(ObjectIdentifier.init))
    let known = Set(wantedOrder.lazy.map(ObjectIdentifier.init))
    return wantedOrder.filter { present.contains(ObjectIdentifier($0)) }
      + objects.filter { !known.contains(ObjectIdentifier($0)) }
  }

  /// Returns the destinations with some of them where they are stored: each behind the stored destination before it.
  func membersReturning(_ objects: [ManagedObject]) -> ContiguousArray<ManagedObject> {
    var returning = Set(objects.lazy.map(ObjectIdentifier.init))
    let present = Set(members.lazy.map(ObjectIdentifier.init))
    // The returning destinations by the one that they follow; nil for the beginning.
    var followers: [ObjectIdentifier?: [ManagedObject]] = [:]
    var last: ObjectIdentifier?
    for object in committed where present.contains(ObjectIdentifier(object)) {
      if returning.remove(ObjectIdentifier(object)) != nil {
        followers[last, default: []].append(object)
      } else {
        last = ObjectIdentifier(object)
      }
    }
    let moved = Set(followers.values.lazy.joined().map(ObjectIdentifier.init))
    var result = ContiguousArray(followers[nil] ?? [])
    for member in members where !moved.contains(ObjectIdentifier(member)) {
      result.append(member)
      result += followers[ObjectIdentifier(member)] ?? []
    }
    return result
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
        || wantedOrder.contains(where: isConcerned)
    else { return }
    replaceObjects(replacement)
  }

  /// Replaces one object with another.
  func substitute(_ old: ManagedObject, by new: ManagedObject) {
    let id = ObjectIdentifier(old)
    guard contains(old) == true || removed[id] != nil || wantedOrder.contains(where: { $0 === old })
    else { return }
    replaceObjects { $0 === old ? new : $0 }
  }
}
