// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The destinations of a to-many relationship of one object.
///
/// While they are not loaded, additions and removals are kept aside: adding a person to a department of a million does
/// not read the million.
final class ToManyLinks {
  /// The destinations in order, once they are loaded.
  private(set) var members: ContiguousArray<ManagedObject> = []
  /// Where each destination stands; built when it is first needed.
  private var places: [ObjectIdentifier: Int]?
  /// Whether `places` has the right numbers; if not, it still has the right objects.
  private var placesAreExact = true
  var isLoaded: Bool
  /// What was added since the last save: objects that the store does not know as destinations.
  private var addedPlaces: [ObjectIdentifier: Int] = [:]
  private var addedList: ContiguousArray<ManagedObject?> = []
  /// What was removed since the last save, of those that the store knows as destinations.
  private(set) var removed: [ObjectIdentifier: ManagedObject] = [:]
  /// The destinations as the store has them, once they are loaded.
  private(set) var committed: ContiguousArray<ManagedObject> = []
  /// The positions of `committed`, for ordered relationships.
  private var committedPositions: [Int64] = []
  /// The positions that a save is about to give to `members`.
  var assignedPositions: [Int64] = []
  /// Whether the order was changed by more than additions and removals.
  private(set) var wasReordered = false
  /// The typed collection that was handed out last.
  var typedCollection: AnyObject?

  private let isOrdered: Bool

  init(isLoaded: Bool, isOrdered: Bool) {
    self.isLoaded = isLoaded
    self.isOrdered = isOrdered
  }

  var hasChanges: Bool { !addedPlaces.isEmpty || !removed.isEmpty || wasReordered }

  /// What was added since the last save, in the order of adding.
  var added: [ManagedObject] { addedList.compactMap { $0 } }

  /// Takes over what the store has; what was added and removed meanwhile is applied to it.
  func load(_ stored: ContiguousArray<ManagedObject>, positions: [Int64]) {
    committed = stored
    committedPositions = positions
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
    members = result
    isLoaded = true
    contentChanged()
  }

  /// Whether an object is a destination; only when loaded, or when it was added or removed here.
  func contains(_ object: ManagedObject) -> Bool? {
    let id = ObjectIdentifier(object)
    if addedPlaces[id] != nil { return true }
    if removed[id] != nil { return false }
    guard isLoaded else { return nil }
    return place(of: object) != nil
  }

  func index(of object: ManagedObject) -> Int? {
    guard let place = place(of: object) else { return nil }
    return placesAreExact ? place : members.firstIndex { $0 === object }
  }

  /// Where an object stands, or stood before others were moved; nil when it is no destination.
  private func place(of object: ManagedObject) -> Int? {
    if places == nil {
      var table = [ObjectIdentifier: Int](minimumCapacity: members.count)
      for (index, member) in members.enumerated() { table[ObjectIdentifier(member)] = index }
      places = table
      placesAreExact = true
    }
    return places?[ObjectIdentifier(object)]
  }

  /// Adds a destination at the end (B79). Returns whether that changed anything.
  @discardableResult func add(_ object: ManagedObject) -> Bool {
    if contains(object) == true { return false }
    let id = ObjectIdentifier(object)
    // While they are not loaded, nobody knows whether what was removed had been a destination.
    if removed.removeValue(forKey: id) == nil || !isLoaded {
      addedPlaces[id] = addedList.count
      addedList.append(object)
    } else if isLoaded, isOrdered {
      wasReordered = true
    }
    if isLoaded {
      places?[id] = members.count
      members.append(object)
    }
    typedCollection = nil
    return true
  }

  /// Removes a destination. Returns whether that changed anything.
  @discardableResult func remove(_ object: ManagedObject) -> Bool {
    let id = ObjectIdentifier(object)
    if contains(object) == false { return false }
    let wasAdded = takeFromAdded(object)
    if !wasAdded || !isLoaded && !object.identity.isTemporaryID { removed[id] = object }
    if isLoaded, let index = index(of: object) { removeMember(at: index) }
    typedCollection = nil
    return true
  }

  /// Whether an object was added since the last save.
  func isAdded(_ object: ManagedObject) -> Bool {
    addedPlaces[ObjectIdentifier(object)] != nil
  }

  /// Says what is pending for an object, while the destinations are not loaded.
  func setPending(_ object: ManagedObject, isAdded: Bool, isRemoved: Bool) {
    takeFromAdded(object)
    if isAdded {
      addedPlaces[ObjectIdentifier(object)] = addedList.count
      addedList.append(object)
    }
    removed[ObjectIdentifier(object)] = isRemoved ? object : nil
    typedCollection = nil
  }

  /// Makes a removed object a destination again, where it stood when nothing else was changed.
  func takeBackRemoval(of object: ManagedObject) {
    guard isLoaded else {
      removed[ObjectIdentifier(object)] = nil
      return
    }
    if addedPlaces.isEmpty, removed.count == 1, !wasReordered { return rollback() }
    add(object)
  }

  /// Puts the destinations, which are the same objects, into another order.
  func reorder(_ objects: ContiguousArray<ManagedObject>) {
    guard isLoaded else { return }
    let isSame = members.count == objects.count && zip(members, objects).allSatisfy { $0 === $1 }
    if isSame { return }
    members = objects
    wasReordered = true
    contentChanged()
  }

  /// An order that is the stored one again, as after an undo, is no change.
  func forgetStoredOrder() {
    guard wasReordered, addedPlaces.isEmpty, removed.isEmpty,
      members.elementsEqual(committed, by: { $0 === $1 })
    else { return }
    wasReordered = false
  }

  /// Drops what was changed since the last save.
  func rollback() {
    addedPlaces = [:]
    addedList = []
    removed = [:]
    wasReordered = false
    members = committed
    contentChanged()
  }

  /// Makes the state of now the saved one.
  func commit() {
    addedPlaces = [:]
    addedList = []
    removed = [:]
    wasReordered = false
    guard isLoaded else { return }
    committed = members
    if assignedPositions.count == members.count { committedPositions = assignedPositions }
    assignedPositions = []
  }

  /// The stored position of each member; nil for those that have none.
  func storedPositionsOfMembers() -> [Int64?] {
    var known = [ObjectIdentifier: Int64](minimumCapacity: committed.count)
    for (object, position) in zip(committed, committedPositions) {
      known[ObjectIdentifier(object)] = position
    }
    return members.map { known[ObjectIdentifier($0)] }
  }

  /// The members whose position a save changes, with the new one.
  func changedPositions() -> [(ManagedObject, Int64)] {
    let stored = storedPositionsOfMembers()
    var result: [(ManagedObject, Int64)] = []
    for (index, member) in members.enumerated() where index < assignedPositions.count {
      if stored[index] != assignedPositions[index] {
        result.append((member, assignedPositions[index]))
      }
    }
    return result
  }

  /// Takes an object out of the additions; false when it is none of them.
  @discardableResult private func takeFromAdded(_ object: ManagedObject) -> Bool {
    guard let place = addedPlaces.removeValue(forKey: ObjectIdentifier(object)) else {
      return false
    }
    addedList[place] = nil
    if addedPlaces.isEmpty { addedList = [] }
    return true
  }

  /// Removes a member; a set fills the hole with its last member, so that removing many is not quadratic.
  private func removeMember(at index: Int) {
    let object = members[index]
    if isOrdered, index != members.count - 1 {
      members.remove(at: index)
      places?[ObjectIdentifier(object)] = nil
      placesAreExact = false
      return
    }
    let last = members.removeLast()
    places?[ObjectIdentifier(object)] = nil
    if last !== object {
      members[index] = last
      places?[ObjectIdentifier(last)] = index
    }
  }

  /// Takes over destinations as they are, without a change.
  func takeMembers(
    _ new: ContiguousArray<ManagedObject>, committed newCommitted: ContiguousArray<ManagedObject>,
    positions: [Int64]
  ) {
    members = new
    committed = newCommitted
    committedPositions = positions
    contentChanged()
  }

  /// Forgets additions, removals and the new order.
  func dropChanges() {
    addedPlaces = [:]
    addedList = []
    removed = [:]
    wasReordered = false
  }

  /// Replaces objects wherever they stand; nil leaves one out, and what would stand twice stands once.
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
    let wasNew = wasReordered
    takeMembers(replaced(members), committed: replaced(committed), positions: kept)
    dropChanges()
    wasReordered = wasNew
    for object in newAdded {
      addedPlaces[ObjectIdentifier(object)] = addedList.count
      addedList.append(object)
    }
    for object in newRemoved where addedPlaces[ObjectIdentifier(object)] == nil {
      removed[ObjectIdentifier(object)] = object
    }
  }

  /// Another one that knows the same.
  func copy() -> ToManyLinks {
    let copy = ToManyLinks(isLoaded: isLoaded, isOrdered: isOrdered)
    copy.become(self)
    return copy
  }

  /// Knows from now on what another one knows.
  func become(_ other: ToManyLinks) {
    isLoaded = other.isLoaded
    members = other.members
    addedPlaces = other.addedPlaces
    addedList = other.addedList
    removed = other.removed
    committed = other.committed
    committedPositions = other.committedPositions
    assignedPositions = other.assignedPositions
    wasReordered = other.wasReordered
    contentChanged()
  }

  private func contentChanged() {
    places = nil
    typedCollection = nil
  }
}
