// SPDX-License-Identifier: Apache-2.0

/// The indices of objects in two lists, the members of a relationship and those that are pending additions: an
/// open-addressing hash table from object identities to indices.
///
/// It keeps no object alive: its owner retains the lists.
struct PlaceTable: ~Copyable {
  private struct Entry {
    /// The object's address; zero for a free entry.
    var identity: UInt
    /// The indices; negative if the object is not in the list.
    var member: Int32
    var addition: Int32
  }

  private var entries: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private var count = 0
  /// The number of objects with an index among the additions.
  private(set) var additionCount = 0

  deinit {
    entries?.deallocate()
  }

  private static func address(_ object: ManagedObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  private func home(of identity: UInt) -> Int {
    let mixed = (UInt64(identity) >> 4) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (capacity &- 1)
  }

  /// Returns the index of an object's entry, or of the free entry for it.
  private func index(of identity: UInt, in entries: UnsafeMutablePointer<Entry>) -> Int {
    var index = home(of: identity)
    while entries[index].identity != identity, entries[index].identity != 0 {
      index = (index &+ 1) & (capacity &- 1)
    }
    return index
  }

  private func entry(of object: ManagedObject) -> UnsafeMutablePointer<Entry>? {
    guard count > 0, let entries else { return nil }
    let entry = entries + index(of: Self.address(object), in: entries)
    return entry.pointee.identity == 0 ? nil : entry
  }

  /// Returns the index of an object among the members; nil when it is not there.
  func member(_ object: ManagedObject) -> Int? {
    guard let place = entry(of: object)?.pointee.member, place >= 0 else { return nil }
    return Int(place)
  }

  /// Returns the index of an object among the additions; nil when it is not there.
  func addition(_ object: ManagedObject) -> Int? {
    guard let place = entry(of: object)?.pointee.addition, place >= 0 else { return nil }
    return Int(place)
  }

  /// Stores the index of an object among the members.
  mutating func setMember(_ object: ManagedObject, _ place: Int) {
    madeEntry(of: object).pointee.member = Int32(place)
  }

  /// Stores the index of an object among the additions.
  mutating func setAddition(_ object: ManagedObject, _ place: Int) {
    let entry = madeEntry(of: object)
    if entry.pointee.addition < 0 { additionCount += 1 }
    entry.pointee.addition = Int32(place)
  }

  /// Removes the index of an object among the members.
  mutating func removeMember(_ object: ManagedObject) {
    guard let entry = entry(of: object) else { return }
    entry.pointee.member = -1
    removeIfUseless(entry)
  }

  /// Removes the index of an object among the additions, and returns it.
  mutating func removeAddition(_ object: ManagedObject) -> Int? {
    guard let entry = entry(of: object), entry.pointee.addition >= 0 else { return nil }
    let place = Int(entry.pointee.addition)
    entry.pointee.addition = -1
    additionCount -= 1
    removeIfUseless(entry)
    return place
  }

  /// Stores the indices of all members of a list. None may be stored before.
  mutating func setMembers(_ members: ContiguousArray<ManagedObject>) {
    reserve(count + members.count)
    for (place, member) in members.enumerated() { setMember(member, place) }
  }

  /// Removes the indices of all members.
  mutating func removeMembers() {
    guard additionCount > 0 else { return removeAll() }
    keep { entry in
      entry.member = -1
      return entry.addition >= 0
    }
  }

  /// Removes the indices of all additions.
  ///
  /// - Parameter keepsMembers: Whether the table has the indices of the members, and keeps them.
  mutating func removeAdditions(keepingMembers keepsMembers: Bool) {
    guard keepsMembers else { return removeAll() }
    guard additionCount > 0 else { return }
    additionCount = 0
    keep { entry in
      entry.addition = -1
      return entry.member >= 0
    }
  }

  private mutating func removeAll() {
    entries?.deallocate()
    entries = nil
    (capacity, count, additionCount) = (0, 0, 0)
  }
}

extension PlaceTable {
  /// Returns the entry of an object, creating it if it is missing.
  private mutating func madeEntry(of object: ManagedObject) -> UnsafeMutablePointer<Entry> {
    reserve(count + 1)
    guard let entries else { preconditionFailure("A table with room has memory.") }
    let identity = Self.address(object)
    let entry = entries + index(of: identity, in: entries)
    if entry.pointee.identity == 0 {
      count += 1
      entry.pointee = Entry(identity: identity, member: -1, addition: -1)
    }
    return entry
  }

  /// Removes an entry without indices. Later entries of its probe sequence move back, so that no search ends too
  /// early.
  private mutating func removeIfUseless(_ entry: UnsafeMutablePointer<Entry>) {
    guard entry.pointee.member < 0, entry.pointee.addition < 0, let entries else { return }
    count -= 1
    var hole = entry - entries
    var next = (hole &+ 1) & (capacity &- 1)
    while entries[next].identity != 0 {
      let distance = (next &- home(of: entries[next].identity)) & (capacity &- 1)
      if distance >= (next &- hole) & (capacity &- 1) {
        entries[hole] = entries[next]
        hole = next
      }
      next = (next &+ 1) & (capacity &- 1)
    }
    entries[hole].identity = 0
  }

  /// Changes all entries, and keeps those that still have an index.
  private mutating func keep(_ change: (inout Entry) -> Bool) {
    guard let entries else { return }
    var isComplete = true
    for index in 0..<capacity where entries[index].identity != 0 {
      if !change(&entries[index]) {
        isComplete = false
        count -= 1
        entries[index].identity = 0
      }
    }
    // Holes would end searches too early.
    if !isComplete { resize(to: capacity) }
  }

  private mutating func reserve(_ wanted: Int) {
    var new = max(capacity, 8)
    while wanted * 4 > new * 3 { new *= 2 }
    if new > capacity { resize(to: new) }
  }

  private mutating func resize(to newCapacity: Int) {
    let (old, oldCapacity) = (entries, capacity)
    let new = UnsafeMutablePointer<Entry>.allocate(capacity: newCapacity)
    new.initialize(repeating: Entry(identity: 0, member: -1, addition: -1), count: newCapacity)
    entries = new
    capacity = newCapacity
    guard let old else { return }
    for index in 0..<oldCapacity where old[index].identity != 0 {
      new[self.index(of: old[index].identity, in: new)] = old[index]
    }
    old.deallocate()
  }
}
