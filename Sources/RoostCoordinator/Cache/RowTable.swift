// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A hash table from keys to rows: open addressing with linear probing, one entry of 24 bytes a row.
struct RowTable: ~Copyable {
  /// One place of the table; free when there is no row.
  private struct Entry {
    var key: Int64
    var row: Row?
    var loadTime: Double
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int
  /// The number of rows.
  private(set) var count = 0

  init(minimumCapacity: Int = 0) {
    capacity = Self.capacity(for: minimumCapacity)
    entries = Self.allocate(capacity)
  }

  deinit {
    entries.deinitialize(count: capacity)
    entries.deallocate()
  }

  private static func capacity(for count: Int) -> Int {
    var capacity = 16
    while capacity * 3 < count * 4 { capacity *= 2 }
    return capacity
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
    entries.initialize(repeating: Entry(key: 0, row: nil, loadTime: 0), count: capacity)
    return entries
  }

  /// Where the search for a key begins. Keys are consecutive numbers: the multiplication spreads them.
  private func home(of key: Int64) -> Int {
    let product = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product >> 32) & (capacity &- 1)
  }

  private func index(of key: Int64) -> (index: Int, isFound: Bool) {
    var index = home(of: key)
    while entries[index].row != nil {
      if entries[index].key == key { return (index, true) }
      index = (index &+ 1) & (capacity &- 1)
    }
    return (index, false)
  }
}

extension RowTable {
  /// The row of a record, if it was loaded at `earliest` or later.
  func row(forKey key: Int64, loadedSince earliest: Double) -> Row? {
    let place = index(of: key)
    guard place.isFound, entries[place.index].loadTime >= earliest else { return nil }
    return entries[place.index].row
  }

  /// Keeps a row unless a newer one is there, and returns the instance to use: rows of one version are shared, as long
  /// as what is derived in them is the same.
  mutating func merge(_ row: Row, loadTime: Double) -> Row {
    reserveOne()
    let place = index(of: row.key)
    guard place.isFound, let known = entries[place.index].row else {
      entries[place.index] = Entry(key: row.key, row: row, loadTime: loadTime)
      count += 1
      return row
    }
    if known.version > row.version { return row }
    entries[place.index].loadTime = loadTime
    if known.version == row.version,
      !row.layout.hasDerivedSlots || row.changedSlots(from: known).isEmpty
    {
      return known
    }
    entries[place.index].row = row
    return row
  }

  /// Keeps a row whatever was there.
  mutating func set(_ row: Row, loadTime: Double) {
    reserveOne()
    let place = index(of: row.key)
    if !place.isFound { count += 1 }
    entries[place.index] = Entry(key: row.key, row: row, loadTime: loadTime)
  }

  /// Forgets a row. The entries behind it move up, so that searches need no marks of removed entries.
  mutating func remove(_ key: Int64) {
    let place = index(of: key)
    guard place.isFound else { return }
    count -= 1
    var hole = place.index
    var next = (hole &+ 1) & (capacity &- 1)
    while entries[next].row != nil {
      let distance = (next &- home(of: entries[next].key)) & (capacity &- 1)
      if distance >= (next &- hole) & (capacity &- 1) {
        entries[hole] = entries[next]
        hole = next
      }
      next = (next &+ 1) & (capacity &- 1)
    }
    entries[hole].row = nil
  }

  /// Forgets the rows that nobody else holds.
  mutating func sweep() {
    var kept = 0
    for index in 0..<capacity where entries[index].row != nil {
      if Self.isHeldElsewhere(&entries[index].row) {
        kept += 1
      } else {
        entries[index].row = nil
      }
    }
    count = kept
    // A small table keeps its size: it would grow to it again.
    let wanted = max(Self.capacity(for: kept + 1), min(capacity, Self.smallCapacity))
    if kept > 0 || wanted < capacity { rehash(to: wanted) }
  }

  private static let smallCapacity = 16_384

  /// Forgets everything.
  mutating func removeAll() {
    self = RowTable()
  }

  private static func isHeldElsewhere(_ row: inout Row?) -> Bool {
    withUnsafeMutableBytes(of: &row) { bytes in
      // A row is one reference, and so is an optional row; the bytes are that reference.
      let storage = bytes.baseAddress!.assumingMemoryBound(to: RowStorage.self)
      return !isKnownUniquelyReferenced(&storage.pointee)
    }
  }

  /// Makes room for further rows, so that the table grows once for all of them.
  mutating func reserve(_ additional: Int) {
    let wanted = Self.capacity(for: count + additional)
    if wanted > capacity { rehash(to: wanted) }
  }

  private mutating func reserveOne() {
    if (count + 1) * 4 > capacity * 3 { rehash(to: capacity * 2) }
  }

  private mutating func rehash(to newCapacity: Int) {
    let old = entries
    let oldCapacity = capacity
    entries = Self.allocate(newCapacity)
    capacity = newCapacity
    for index in 0..<oldCapacity where old[index].row != nil {
      let place = self.index(of: old[index].key)
      swap(&entries[place.index], &old[index])
    }
    old.deinitialize(count: oldCapacity)
    old.deallocate()
  }
}
