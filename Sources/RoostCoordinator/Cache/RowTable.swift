// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A table from keys to rows: the rows of neighbouring keys are adjacent on one page.
struct RowTable: ~Copyable {
  private var pages = KeyPages()
  /// The slots of all pages, one page after the other.
  private var rows: UnsafeMutablePointer<Row?>
  /// The load time of the row in each slot.
  private var loadTimes: UnsafeMutablePointer<Double>
  /// The number of allocated slots.
  private(set) var capacity: Int
  /// The number of rows.
  private(set) var count = 0

  init(minimumCapacity: Int = 0) {
    capacity = max(32, minimumCapacity / 8 * 8 + 8)
    rows = .allocate(capacity: capacity)
    rows.initialize(repeating: nil, count: capacity)
    loadTimes = .allocate(capacity: capacity)
    loadTimes.initialize(repeating: 0, count: capacity)
    pages.reserve(minimumCapacity)
  }

  deinit {
    rows.deinitialize(count: capacity)
    rows.deallocate()
    loadTimes.deallocate()
  }

  /// Returns the slot for the row of a key.
  @inline(__always) private mutating func placeToSet(_ key: Int64) -> Int {
    let known = pages.place(of: key)
    return known >= 0 ? known : makePlace(for: key)
  }

  private mutating func makePlace(for key: Int64) -> Int {
    let place = pages.takePage(for: key)
    if place >= capacity { resize(to: capacity * 2) }
    pages.lead(to: place, forKey: key)
    return place
  }

  private mutating func resize(to newCapacity: Int) {
    let newRows = UnsafeMutablePointer<Row?>.allocate(capacity: newCapacity)
    newRows.moveInitialize(from: rows, count: capacity)
    for place in capacity..<newCapacity { (newRows + place).initialize(to: nil) }
    let newTimes = UnsafeMutablePointer<Double>.allocate(capacity: newCapacity)
    newTimes.moveInitialize(from: loadTimes, count: capacity)
    (newTimes + capacity).initialize(repeating: 0, count: newCapacity - capacity)
    rows.deallocate()
    loadTimes.deallocate()
    rows = newRows
    loadTimes = newTimes
    capacity = newCapacity
  }
}

extension RowTable {
  /// Returns the row of a record, if it was loaded at `earliest` or later.
  func row(forKey key: Int64, loadedSince earliest: Double) -> Row? {
    let place = pages.place(of: key)
    guard place >= 0, earliest == -.infinity || loadTimes[place] >= earliest else { return nil }
    return rows[place]
  }

  /// Stores a row unless a newer one is present. Rows of one version are shared, as long as their derived values are
  /// equal.
  ///
  /// - Returns: The shared instance that replaces the row; nil for the row itself.
  mutating func merge(_ row: borrowing Row, key: Int64, loadTime: Double) -> Row? {
    let place = placeToSet(key)
    guard let known = rows[place] else {
      rows[place] = copy row
      loadTimes[place] = loadTime
      count += 1
      return nil
    }
    if known.version > row.version { return nil }
    loadTimes[place] = loadTime
    if known.version == row.version,
      !row.layout.hasDerivedSlots || row.changedSlots(from: known).isEmpty
    {
      return known
    }
    rows[place] = copy row
    return nil
  }

  /// Stores a row unconditionally.
  mutating func set(_ row: Row, loadTime: Double) {
    let place = placeToSet(row.key)
    if rows[place] == nil { count += 1 }
    rows[place] = row
    loadTimes[place] = loadTime
  }

  /// Removes a row.
  mutating func remove(_ key: Int64) {
    let place = pages.place(of: key)
    guard place >= 0, rows[place] != nil else { return }
    rows[place] = nil
    count -= 1
    let first = place & ~7
    for neighbour in first..<(first + 8) where rows[neighbour] != nil { return }
    pages.removePage(ofKey: key)
    pages.giveBack(pageOf: place)
  }

  /// Removes the rows that nothing else references.
  mutating func sweep() {
    let before = count
    for place in 0..<pages.placeCount where rows[place] != nil {
      guard !Self.isHeldElsewhere(&rows[place]) else { continue }
      rows[place] = nil
      count -= 1
    }
    // When most rows are referenced, as for an in-memory store that references them all, the table is not compacted,
    // unless too many pages are empty.
    if count * 2 > before, pages.placeCount <= count * 16 { return }
    // A small table keeps its memory, since it would grow to the same size again.
    if count == 0, capacity <= RowTable.smallCapacity { return pages.removeAll() }
    var kept = RowTable(minimumCapacity: min(capacity, RowTable.smallCapacity))
    for place in 0..<pages.placeCount {
      if let row = rows[place] { kept.set(row, loadTime: loadTimes[place]) }
    }
    self = kept
  }

  private static let smallCapacity = 65_536

  /// Removes all rows.
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

  /// Reserves room for further rows: for just these, or for half as many again, so that consecutive fetches do not
  /// move all rows each time.
  mutating func reserve(_ additional: Int) {
    pages.reserve(additional)
    let wanted = (count + additional) / 8 * 8 + 8
    if wanted > capacity { resize(to: max(wanted, capacity / 16 * 24)) }
  }
}
