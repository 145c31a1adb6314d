// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The destinations of a to-many relationship of one object.
///
/// While they are not loaded, additions and removals are kept separately: adding a person to a department of a
/// million does not read the million.
final class ToManyLinks {
  /// The destinations in order, once they are loaded.
  @exclusivity(unchecked) private(set) var members: ContiguousArray<ManagedObject> = []
  /// The index of each destination; built when first needed.
  @exclusivity(unchecked) private var places = PlaceTable()
  /// Whether `places` has the members.
  @exclusivity(unchecked) private var hasPlaces = false
  /// Whether the indices of the members in `places` are exact; if not, `places` still contains the right objects.
  @exclusivity(unchecked) private var placesAreExact = true
  @exclusivity(unchecked) var isLoaded: Bool
  /// The objects added since the last save; they are no destinations in the store.
  @exclusivity(unchecked) private var addedList: ContiguousArray<ManagedObject?> = []
  /// Whether all additions were made by ``addFirst(_:)``, so that an object that is related for the first time cannot
  /// be among them: setters of primitive values, undo and merging change one side alone.
  @exclusivity(unchecked) private var hasOnlyFirsts = true
  /// The number of objects at the end of `addedList` that are not in `places` yet, because no look-up has needed
  /// them.
  @exclusivity(unchecked) private var unplacedCount = 0
  /// The objects removed since the last save; they are destinations in the store.
  @exclusivity(unchecked) private(set) var removed: [ObjectIdentifier: ManagedObject] = [:]
  /// The stored destinations, once they are loaded.
  @exclusivity(unchecked) private(set) var committed: ContiguousArray<ManagedObject> = []
  /// The positions of `committed`, for ordered relationships.
  @exclusivity(unchecked) private var committedPositions: [Int64] = []
  /// The positions that a running save assigns to `members`.
  @exclusivity(unchecked) var assignedPositions: [Int64] = []
  /// Whether the order was changed by more than additions and removals.
  @exclusivity(unchecked) private(set) var wasReordered = false
  /// The order to apply when the destinations are loaded again, after a merge has discarded them.
  @exclusivity(unchecked) var wantedOrder: ContiguousArray<ManagedObject> = []
  /// The typed collection returned last.
  @exclusivity(unchecked) var typedCollection: AnyObject?

  private let isOrdered: Bool

  init(isLoaded: Bool, isOrdered: Bool) {
    self.isLoaded = isLoaded
    self.isOrdered = isOrdered
  }

  var hasChanges: Bool { additionCount > 0 || !removed.isEmpty || wasReordered }

  private var additionCount: Int { places.additionCount + unplacedCount }

  /// The objects added since the last save, in the order of adding.
  var added: [ManagedObject] { addedList.compactMap { $0 } }

  /// Takes over the stored destinations, and applies the pending additions and removals and the pending order.
  func load(_ stored: ContiguousArray<ManagedObject>, positions: [Int64]) {
    committed = stored
    committedPositions = positions
    isLoaded = true
    members = additionCount == 0 && removed.isEmpty ? stored : withPendingChanges(stored)
    if !wantedOrder.isEmpty { members = inWantedOrder(members) }
    wantedOrder = []
    contentChanged()
  }

  private func withPendingChanges(
    _ stored: ContiguousArray<ManagedObject>
  ) -> ContiguousArray<ManagedObject> {
    var result = ContiguousArray<ManagedObject>()
    for object in stored where removed[ObjectIdentifier(object)] == nil { result.append(object) }
    let known = Set(stored.map(ObjectIdentifier.init))
    for object in added {
      if known.contains(ObjectIdentifier(object)) {
        takeFromAdded(object)
      } else {
        result.append(object)
      }
    }
    removed = removed.filter { known.contains($0.key) }
    return result
  }

  /// Whether an object is a destination; nil if not loaded, unless it is a pending addition or removal.
  func contains(_ object: ManagedObject) -> Bool? {
    if isAdded(object) { return true }
    if isRemoved(object) { return false }
    guard isLoaded else { return nil }
    return place(of: object) != nil
  }

  func index(of object: ManagedObject) -> Int? {
    guard let place = place(of: object) else { return nil }
    return placesAreExact ? place : members.firstIndex { $0 === object }
  }

  /// Returns the index of an object, or its former one if others were moved; nil when it is no destination.
  private func place(of object: ManagedObject) -> Int? {
    if !hasPlaces {
      places.setMembers(members)
      hasPlaces = true
      placesAreExact = true
    }
    return places.member(object)
  }

  /// Adds a destination at the end (B79). Returns whether that changed anything.
  @discardableResult func add(_ object: ManagedObject) -> Bool {
    hasOnlyFirsts = false
    if contains(object) == true { return false }
    // Before loading, it is unknown whether a removed object had been a destination.
    if removed.isEmpty || removed.removeValue(forKey: ObjectIdentifier(object)) == nil || !isLoaded
    {
      appendAddition(object)
    } else if isLoaded, isOrdered {
      wasReordered = true
    }
    if isLoaded {
      if hasPlaces { places.setMember(object, members.count) }
      members.append(object)
    }
    typedCollection = nil
    return true
  }

  /// Removes a destination. Returns whether that changed anything.
  @discardableResult func remove(_ object: ManagedObject) -> Bool {
    if contains(object) == false { return false }
    let wasAdded = takeFromAdded(object)
    if !wasAdded || !isLoaded && !object.identity.isTemporaryID {
      removed[ObjectIdentifier(object)] = object
    }
    if isLoaded, let index = index(of: object) { removeMember(at: index) }
    typedCollection = nil
    return true
  }

  /// Whether an object was added since the last save.
  func isAdded(_ object: ManagedObject) -> Bool {
    placeAdditions()
    return places.addition(object) != nil
  }

  /// Whether an object was removed since the last save.
  func isRemoved(_ object: ManagedObject) -> Bool {
    !removed.isEmpty && removed[ObjectIdentifier(object)] != nil
  }

  /// Adds a destination that had no relationship before, so that no look-up is needed. Returns whether that changed
  /// anything.
  func addFirst(_ object: ManagedObject) -> Bool {
    guard hasOnlyFirsts else { return add(object) }
    addedList.append(object)
    unplacedCount += 1
    if isLoaded {
      if hasPlaces { places.setMember(object, members.count) }
      members.append(object)
    }
    typedCollection = nil
    return true
  }

  private func placeAdditions() {
    guard unplacedCount > 0 else { return }
    for place in addedList.count - unplacedCount..<addedList.count {
      if let object = addedList[place] { places.setAddition(object, place) }
    }
    unplacedCount = 0
  }

  func appendAddition(_ object: ManagedObject) {
    placeAdditions()
    places.setAddition(object, addedList.count)
    addedList.append(object)
  }

  /// Sets whether an object is a pending addition or removal, while the destinations are not loaded.
  func setPending(_ object: ManagedObject, isAdded: Bool, isRemoved: Bool) {
    hasOnlyFirsts = false
    takeFromAdded(object)
    if isAdded { appendAddition(object) }
    removed[ObjectIdentifier(object)] = isRemoved ? object : nil
    typedCollection = nil
  }

  /// Makes a removed object a destination again, at its former index if nothing else was changed.
  func takeBackRemoval(of object: ManagedObject) {
    guard isLoaded else {
      removed[ObjectIdentifier(object)] = nil
      return
    }
    if additionCount == 0, removed.count == 1, !wasReordered { return rollback() }
    add(object)
  }

  /// Reorders the destinations, which stay the same objects.
  func reorder(_ objects: ContiguousArray<ManagedObject>) {
    guard isLoaded else { return }
    let isSame = members.count == objects.count && zip(members, objects).allSatisfy { $0 === $1 }
    if isSame { return }
    members = objects
    wasReordered = true
    contentChanged()
  }

  /// Clears the mark of a new order if it equals the stored one, as after an undo.
  func forgetStoredOrder() {
    // After an attempt to save whose outcome is unknown, the store may have the new order.
    guard isLoaded, wasReordered, additionCount == 0, removed.isEmpty, assignedPositions.isEmpty,
      members.elementsEqual(committed, by: { $0 === $1 })
    else { return }
    wasReordered = false
  }

  /// Discards the changes since the last save.
  func rollback() {
    dropChanges()
    members = committed
    contentChanged()
  }

  /// Makes the current state the saved one.
  func commit() {
    // A list that this save has not changed may have positions from an attempt whose outcome is unknown.
    let positions = hasChanges ? assignedPositions : []
    dropChanges()
    guard isLoaded else { return }
    committed = members
    if positions.count == members.count { committedPositions = positions }
  }

  /// The stored position of each member; nil for members without one.
  func storedPositionsOfMembers() -> [Int64?] {
    var known = [ObjectIdentifier: Int64](minimumCapacity: committed.count)
    for (object, position) in zip(committed, committedPositions) {
      known[ObjectIdentifier(object)] = position
    }
    return members.map { known[ObjectIdentifier($0)] }
  }

  /// Removes an object from the additions; false when it is not one.
  @discardableResult func takeFromAdded(_ object: ManagedObject) -> Bool {
    placeAdditions()
    guard let place = places.removeAddition(object) else { return false }
    addedList[place] = nil
    if additionCount == 0 { addedList = [] }
    return true
  }

  /// Removes a member. In a set the last member fills the gap, so that removing many is not quadratic.
  private func removeMember(at index: Int) {
    let object = members[index]
    if isOrdered, index != members.count - 1 {
      members.remove(at: index)
      places.removeMember(object)
      placesAreExact = false
      return
    }
    let last = members.removeLast()
    places.removeMember(object)
    if last !== object {
      members[index] = last
      if hasPlaces { places.setMember(last, index) }
    }
  }

  /// Sets the destinations without recording a change.
  func takeMembers(
    _ new: ContiguousArray<ManagedObject>, committed newCommitted: ContiguousArray<ManagedObject>,
    positions: [Int64]
  ) {
    members = new
    committed = newCommitted
    committedPositions = positions
    hasOnlyFirsts = false
    contentChanged()
  }

  /// Discards additions, removals and the new order, with the positions assigned for it.
  func dropChanges() {
    places.removeAdditions(keepingMembers: hasPlaces)
    addedList = []
    unplacedCount = 0
    removed = [:]
    wasReordered = false
    wantedOrder = []
    assignedPositions = []
  }

  /// Replaces objects wherever they occur; nil removes one, and duplicates are removed.
  func replaceObjects(_ replacement: (ManagedObject) -> ManagedObject?) {
    func replaced(_ list: some Sequence<ManagedObject>) -> ContiguousArray<ManagedObject> {
      var seen = Set<ObjectIdentifier>()
      return ContiguousArray(
        list.lazy.compactMap(replacement).filter { seen.insert(ObjectIdentifier($0)).inserted })
    }
    let positions = committedPositions
    var kept: [Int64] = []
    var seen = Set<ObjectIdentifier>()
    for (object, position) in zip(committed, positions) {
      if let new = replacement(object), seen.insert(ObjectIdentifier(new)).inserted {
        kept.append(position)
      }
    }
    let (newAdded, newRemoved) = (replaced(added), replaced(removed.values))
    let (wasNew, order) = (wasReordered, replaced(wantedOrder))
    takeMembers(replaced(members), committed: replaced(committed), positions: kept)
    dropChanges()
    (wasReordered, wantedOrder) = (wasNew, order)
    for object in newAdded { appendAddition(object) }
    for object in newRemoved where !isAdded(object) {
      removed[ObjectIdentifier(object)] = object
    }
  }

  /// Returns a copy.
  func copy() -> ToManyLinks {
    let copy = ToManyLinks(isLoaded: isLoaded, isOrdered: isOrdered)
    copy.become(self)
    return copy
  }

  /// Takes over the state of another instance.
  func become(_ other: ToManyLinks) {
    isLoaded = other.isLoaded
    members = other.members
    addedList = ContiguousArray(other.added)
    places = PlaceTable()
    unplacedCount = addedList.count
    removed = other.removed
    committed = other.committed
    committedPositions = other.committedPositions
    assignedPositions = other.assignedPositions
    wasReordered = other.wasReordered
    wantedOrder = other.wantedOrder
    hasOnlyFirsts = false
    contentChanged()
  }

  private func contentChanged() {
    places.removeMembers()
    hasPlaces = false
    typedCollection = nil
  }
}
