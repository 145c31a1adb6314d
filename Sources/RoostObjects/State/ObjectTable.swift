// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The table behind an ``ObjectRegistry``.
///
/// It holds unowned references: it keeps no object alive (B45); an object leaves the table when it is released. Where
/// that may happen on another thread, the registry takes its lock around each use, and the table hands out no object
/// whose last reference has gone.
///
/// Objects with neighbouring keys stand side by side on one page. Records of different stores may have one key: then
/// there are further pages for the same keys.
struct ObjectTable: ~Copyable {
  private var pages = KeyPages()
  /// The places of all pages, one page after the other.
  private var objects: UnsafeMutablePointer<Unmanaged<ManagedObject>?>
  /// For each page the first place of the one that has further objects of the same keys; negative where there is none.
  private var followers: UnsafeMutablePointer<Int>
  /// The places that there is memory for.
  private(set) var capacity = 64
  private(set) var count = 0
  /// Whether objects may be released on any thread.
  var isShared = false

  init() {
    objects = .allocate(capacity: 64)
    objects.initialize(repeating: nil, count: 64)
    followers = .allocate(capacity: 8)
    followers.initialize(repeating: -1, count: 8)
  }

  deinit {
    objects.deallocate()
    followers.deallocate()
  }

  /// The object with the ID that a key is in a scope.
  @inline(__always) func object(forKey key: Int64, in scope: IDScope) -> ManagedObject? {
    var place = pages.place(of: key)
    while place >= 0 {
      if let candidate = objects[place],
        candidate._withUnsafeGuaranteedRef({ $0.identity.isKey(key, in: scope) }),
        let object = take(candidate)
      {
        return object
      }
      place = follower(of: place)
    }
    return nil
  }

  /// The object of a record in the store of another object.
  @inline(__always) func object(forKey key: Int64, besides other: ManagedObject) -> ManagedObject? {
    guard key >= 0, let store = other.identity.scope.store else { return nil }
    var place = pages.place(of: key)
    while place >= 0 {
      if let candidate = objects[place],
        candidate._withUnsafeGuaranteedRef({
          $0.identity.key == key && $0.identity.scope.store === store
        }), let object = take(candidate)
      {
        return object
      }
      place = follower(of: place)
    }
    return nil
  }

  /// Makes room for more objects at once: for just these, or by half of what there was, so that one fetch after the
  /// other does not move all objects each time.
  mutating func reserve(_ more: Int) {
    pages.reserve(more)
    let wanted = (count + more) / 8 * 8 + 8
    if wanted > capacity { resize(to: max(wanted, capacity / 16 * 24)) }
  }

  /// Adds an object whose ID is not in the table.
  mutating func insert(_ object: ManagedObject) {
    let key = object.identity.key
    var place = pages.place(of: key)
    if place < 0 {
      place = makePage(for: key)
      pages.lead(to: place, forKey: key)
    }
    while objects[place] != nil {
      var next = follower(of: place)
      if next < 0 {
        next = makePage(for: key)
        followers[place &>> 3] = next & ~7
      }
      place = next
    }
    objects[place] = Unmanaged.passUnretained(object)
    object.registryPlace = Int32(place)
    object.isSharedAmongThreads = isShared
    count += 1
  }

  /// Removes an object, by identity. It knows its place: a large result is let go without a search for each object.
  mutating func remove(_ object: ManagedObject) {
    let place = Int(object.registryPlace)
    guard place >= 0, place < capacity,
      objects[place]?.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
    else { return }
    objects[place] = nil
    object.registryPlace = -1
    count -= 1
    if isEmpty(pageOf: place) { dropPage(of: place, object.identity.key) }
  }

  /// All objects, in no order.
  var all: [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(count)
    for place in 0..<pages.placeCount {
      if let candidate = objects[place], let object = take(candidate) { result.append(object) }
    }
    return result
  }

  /// Calls a closure with each object, also with those that are being released on other threads.
  func forEach(_ body: (Unmanaged<ManagedObject>) -> Void) {
    for place in 0..<pages.placeCount {
      if let object = objects[place] { body(object) }
    }
  }

  /// Counts a reference to an object of the table; nil if its last one has gone and it has not left the table yet.
  @inline(__always) private func take(_ object: Unmanaged<ManagedObject>) -> ManagedObject? {
    isShared ? object.takeUnlessReleased() : object.takeUnretainedValue()
  }
}

// MARK: - Pages

extension ObjectTable {
  /// The place of the same key on the page that follows; negative when there is none.
  @inline(__always) private func follower(of place: Int) -> Int {
    let first = followers[place &>> 3]
    return first < 0 ? -1 : first | place & 7
  }

  @inline(__always) private func isEmpty(pageOf place: Int) -> Bool {
    let first = objects + (place & ~7)
    for place in 0..<8 where first[place] != nil { return false }
    return true
  }

  /// Lets go of a page without objects.
  private mutating func dropPage(of place: Int, _ key: Int64) {
    var previous = -1
    var step = pages.place(of: key)
    while step >= 0, step != place {
      previous = step
      step = follower(of: step)
    }
    let next = followers[place &>> 3]
    if previous >= 0 {
      followers[previous &>> 3] = next
    } else if next >= 0 {
      pages.lead(to: next, forKey: key)
    } else {
      pages.removePage(ofKey: key)
    }
    followers[place &>> 3] = -1
    pages.giveBack(pageOf: place)
  }

  private mutating func makePage(for key: Int64) -> Int {
    let place = pages.takePage(for: key)
    if place >= capacity { resize(to: capacity * 2) }
    return place
  }

  private mutating func resize(to newCapacity: Int) {
    let newObjects = UnsafeMutablePointer<Unmanaged<ManagedObject>?>.allocate(
      capacity: newCapacity)
    newObjects.moveInitialize(from: objects, count: capacity)
    (newObjects + capacity).initialize(repeating: nil, count: newCapacity - capacity)
    let newFollowers = UnsafeMutablePointer<Int>.allocate(capacity: newCapacity / 8)
    newFollowers.moveInitialize(from: followers, count: capacity / 8)
    (newFollowers + capacity / 8).initialize(
      repeating: -1, count: (newCapacity - capacity) / 8)
    objects.deallocate()
    followers.deallocate()
    objects = newObjects
    followers = newFollowers
    capacity = newCapacity
  }
}

extension ObjectID {
  /// Whether this is the ID that a key is in a scope.
  @inline(__always) func isKey(_ key: Int64, in scope: IDScope) -> Bool {
    self.key == key && (self.scope === scope || self == ObjectID(scope: scope, key: key))
  }
}
