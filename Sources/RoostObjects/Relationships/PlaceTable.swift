// SPDX-License-Identifier: Apache-2.0

/// Where objects stand in a list: an open-addressing table from identities to places.
///
/// It keeps no object alive: whoever has it keeps the list as well.
struct PlaceTable: ~Copyable {
  private struct Entry {
    /// The object's address; zero where there is none.
    var identity: UInt
    var place: Int
  }

  private var entries: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private(set) var count = 0

  deinit {
    entries?.deallocate()
  }

  var isEmpty: Bool { count == 0 }

  private static func address(_ object: ManagedObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  private func home(of identity: UInt) -> Int {
    let mixed = (UInt64(identity) >> 4) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (capacity &- 1)
  }

  /// The index of an object's entry, or of the free one where it belongs; the table is not empty.
  private func index(
    of identity: UInt, in entries: UnsafeMutablePointer<Entry>
  ) -> Int {
    var index = home(of: identity)
    while entries[index].identity != identity, entries[index].identity != 0 {
      index = (index &+ 1) & (capacity &- 1)
    }
    return index
  }

  /// Where an object stands; nil when it is not in the table.
  func place(of object: ManagedObject) -> Int? {
    guard count > 0, let entries else { return nil }
    let entry = entries[index(of: Self.address(object), in: entries)]
    return entry.identity == 0 ? nil : entry.place
  }

  func contains(_ object: ManagedObject) -> Bool {
    place(of: object) != nil
  }

  /// Notes where an object stands.
  mutating func set(_ object: ManagedObject, to place: Int) {
    if (count + 1) * 4 > capacity * 3 { resize(to: max(8, capacity * 2)) }
    guard let entries else { return }
    let identity = Self.address(object)
    let index = index(of: identity, in: entries)
    if entries[index].identity == 0 { count += 1 }
    entries[index] = Entry(identity: identity, place: place)
  }

  /// Forgets an object, and returns where it stood.
  @discardableResult mutating func remove(_ object: ManagedObject) -> Int? {
    guard count > 0, let entries else { return nil }
    var hole = index(of: Self.address(object), in: entries)
    guard entries[hole].identity != 0 else { return nil }
    let place = entries[hole].place
    count -= 1
    // Later members of the run move back, so that no search stops at the hole too early.
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
    return place
  }

  /// Forgets all objects, and lets go of the memory.
  mutating func removeAll() {
    entries?.deallocate()
    entries = nil
    capacity = 0
    count = 0
  }

  /// Notes the places of all members of a list, and forgets others.
  mutating func set(_ members: ContiguousArray<ManagedObject>) {
    removeAll()
    var wanted = 8
    while wanted * 3 < members.count * 4 { wanted *= 2 }
    resize(to: wanted)
    for (place, member) in members.enumerated() { set(member, to: place) }
  }

  private mutating func resize(to newCapacity: Int) {
    let (old, oldCapacity) = (entries, capacity)
    let new = UnsafeMutablePointer<Entry>.allocate(capacity: newCapacity)
    new.initialize(repeating: Entry(identity: 0, place: 0), count: newCapacity)
    entries = new
    capacity = newCapacity
    guard let old else { return }
    for index in 0..<oldCapacity where old[index].identity != 0 {
      new[self.index(of: old[index].identity, in: new)] = old[index]
    }
    old.deallocate()
  }
}
