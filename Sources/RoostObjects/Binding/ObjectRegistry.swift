// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The objects of one context by ID: one object a record (B32).
///
/// An open-addressing table of unowned references: it keeps no object alive (B45); an object leaves the table when it
/// is released.
struct ObjectRegistry {
  private var keys: UnsafeMutablePointer<Int64>
  private var objects: UnsafeMutablePointer<Unmanaged<ManagedObject>?>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 64
    keys = .allocate(capacity: 64)
    objects = .allocate(capacity: 64)
    objects.initialize(repeating: nil, count: 64)
  }

  /// Frees the table; the registry is not used afterwards.
  func deallocate() {
    keys.deallocate()
    objects.deallocate()
  }

  private func home(of key: Int64) -> Int {
    let mixed = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> 32) & (capacity &- 1)
  }

  /// The object with an ID.
  func object(for id: ObjectID) -> ManagedObject? {
    var place = home(of: id.key)
    while let candidate = objects[place] {
      if keys[place] == id.key {
        let object = candidate._withUnsafeGuaranteedRef { $0.identity == id ? $0 : nil }
        if let object { return object }
      }
      place = (place &+ 1) & (capacity &- 1)
    }
    return nil
  }

  /// Makes room for more objects at once.
  mutating func reserve(_ more: Int) {
    var wanted = capacity
    while (count + more) * 2 > wanted { wanted *= 2 }
    if wanted > capacity { resize(to: wanted) }
  }

  /// Adds an object whose ID is not in the table.
  mutating func insert(_ object: ManagedObject) {
    if (count + 1) * 2 > capacity { resize(to: capacity * 2) }
    place(Unmanaged.passUnretained(object), key: object.identity.key)
    count += 1
  }

  /// Removes an object, by identity.
  mutating func remove(_ object: ManagedObject) {
    let reference = Unmanaged.passUnretained(object).toOpaque()
    var hole = home(of: object.identity.key)
    while let candidate = objects[hole], candidate.toOpaque() != reference {
      hole = (hole &+ 1) & (capacity &- 1)
    }
    guard objects[hole] != nil else { return }
    count -= 1
    close(hole)
  }

  /// All objects, in no order.
  var all: [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(count)
    for index in 0..<capacity {
      if let object = objects[index] { result.append(object.takeUnretainedValue()) }
    }
    return result
  }

  /// Calls `body` with each object without retaining a list of them.
  func forEach(_ body: (ManagedObject) -> Void) {
    for index in 0..<capacity {
      if let object = objects[index] { object._withUnsafeGuaranteedRef(body) }
    }
  }

  /// Moves later members of a run back, so that a search never stops at a hole too early.
  private mutating func close(_ start: Int) {
    var hole = start
    var next = (hole &+ 1) & (capacity &- 1)
    while let candidate = objects[next] {
      let wanted = home(of: keys[next])
      let distanceToHole = (hole &- wanted) & (capacity &- 1)
      let distanceToNext = (next &- wanted) & (capacity &- 1)
      if distanceToHole < distanceToNext {
        objects[hole] = candidate
        keys[hole] = keys[next]
        hole = next
      }
      next = (next &+ 1) & (capacity &- 1)
    }
    objects[hole] = nil
  }

  private mutating func place(_ object: Unmanaged<ManagedObject>, key: Int64) {
    var place = home(of: key)
    while objects[place] != nil { place = (place &+ 1) & (capacity &- 1) }
    objects[place] = object
    keys[place] = key
  }

  private mutating func resize(to newCapacity: Int) {
    let oldKeys = keys
    let oldObjects = objects
    let oldCapacity = capacity
    capacity = newCapacity
    keys = .allocate(capacity: newCapacity)
    objects = .allocate(capacity: newCapacity)
    objects.initialize(repeating: nil, count: newCapacity)
    for index in 0..<oldCapacity {
      if let object = oldObjects[index] { place(object, key: oldKeys[index]) }
    }
    oldKeys.deallocate()
    oldObjects.deallocate()
  }
}
