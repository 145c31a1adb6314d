// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The table behind an ``ObjectRegistry``.
///
/// It holds unowned references: it keeps no object alive (B45); an object leaves the table when it is released. If
/// that may happen on another thread, the registry takes its lock around each use, and the table returns no object
/// whose reference count has reached zero.
///
/// Objects with neighbouring keys are stored side by side on one page. Records of different stores may have the same
/// key: these are on further pages for the same keys.
struct ObjectTable: ~Copyable {
  private var pages = KeyPages()
  /// The slots of all pages, one page after the other.
  private var objects: UnsafeMutablePointer<Unmanaged<ManagedObject>?>
  /// For each page the first slot of the next page for the same keys; negative when there is none.
  private var followers: UnsafeMutablePointer<Int>
  /// The number of slots allocated.
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

  /// Returns the object whose ID has a key in a scope.
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

  /// Returns the object of a record in the same store as another object.
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

  /// Reserves room for further objects: exactly for these, or for half as many again as there are, so that a series
  /// of fetches does not move all objects each time.
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

  /// Removes an object by its stored index: releasing a large result searches for no object.
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

  /// Calls a closure with each object, including those being released on other threads.
  func forEach(_ body: (Unmanaged<ManagedObject>) -> Void) {
    for place in 0..<pages.placeCount {
      if let object = objects[place] { body(object) }
    }
  }

  /// Retains an object of the table; nil if its reference count has reached zero and it has not left the table yet.
  @inline(__always) private func take(_ object: Unmanaged<ManagedObject>) -> ManagedObject? {
    isShared ? object.takeUnlessReleased() : object.takeUnretainedValue()
  }
}

// MARK: - Pages

extension ObjectTable {
  /// The slot of the same key on the next page; negative when there is none.
  @inline(__always) private func follower(of place: Int) -> Int {
    let first = followers[place &>> 3]
    return first < 0 ? -1 : first | place & 7
  }

  @inline(__always) private func isEmpty(pageOf place: Int) -> Bool {
    let first = objects + (place & ~7)
    for place in 0..<8 where first[place] != nil { return false }
    return true
  }

  /// Removes an empty page.
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
  /// Whether this is the ID of a key in a scope.
  @inline(__always) func isKey(_ key: Int64, in scope: IDScope) -> Bool {
    self.key == key && (self.scope === scope || self == ObjectID(scope: scope, key: key))
  }
}
