// SPDX-License-Identifier: Apache-2.0

/// A page table for keys: a hash table with one entry per page of eight neighbouring keys.
///
/// Records that were inserted together have neighbouring keys, and are read, kept and released together. Their
/// entries are adjacent in a table: iterating over a hundred thousand of them is a sequential walk through memory,
/// where a hash table of single keys causes a cache miss for each.
package struct KeyPages: ~Copyable {
  /// One slot of the hash table; free when its page is negative.
  private struct Entry {
    var block: Int64
    var page: Int
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int
  private var count = 0
  private var freePages: [Int] = []
  private var pageCount = 0

  /// The exclusive upper bound of all places that were ever allocated.
  package var placeCount: Int { pageCount * 8 }

  package init() {
    capacity = 16
    entries = Self.allocate(16)
  }

  deinit {
    entries.deallocate()
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
    entries.initialize(repeating: Entry(block: 0, page: -1), count: capacity)
    return entries
  }

  /// Returns the place of a key on a page.
  @inline(__always) private static func place(of key: Int64, on page: Int) -> Int {
    page &<< 3 | Int(truncatingIfNeeded: key < 0 ? key : RecordKey.sequence(of: key)) & 7
  }

  /// Returns the common part of the keys of one page: the entity's code, and the number without its three low bits.
  /// The keys of unsaved objects are negative and have no code.
  @inline(__always) private static func block(of key: Int64) -> Int64 {
    if key < 0 { return key &>> 3 }
    return (key &>> (RecordKey.entityBits + 3)) &<< RecordKey.entityBits | (key & 4095)
  }

  @inline(__always) private func home(of block: Int64) -> Int {
    let mixed = UInt64(bitPattern: block) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> 32) & (capacity &- 1)
  }

  @inline(__always) private func index(of block: Int64) -> Int {
    var index = home(of: block)
    while entries[index].page >= 0, entries[index].block != block {
      index = (index &+ 1) & (capacity &- 1)
    }
    return index
  }

  /// Returns the place of a key: eight times its page's number, plus its place on the page. Negative when it has no
  /// page.
  package func place(of key: Int64) -> Int {
    let page = entries[index(of: Self.block(of: key))].page
    return page < 0 ? -1 : Self.place(of: key, on: page)
  }
}

extension KeyPages {
  /// Allocates a page, and returns the place of a key on it; lookups do not find it yet.
  package mutating func takePage(for key: Int64) -> Int {
    if let page = freePages.popLast() { return Self.place(of: key, on: page) }
    pageCount += 1
    return Self.place(of: key, on: pageCount - 1)
  }

  /// Frees a page without entries, given a place on it.
  package mutating func giveBack(pageOf place: Int) {
    freePages.append(place / 8)
  }

  /// Enters the page of a place for a key and its neighbours, so that lookups find it.
  package mutating func lead(to place: Int, forKey key: Int64) {
    let page = place / 8
    let block = Self.block(of: key)
    var index = index(of: block)
    if entries[index].page < 0 {
      if (count + 1) * 2 > capacity {
        resize(to: capacity * 2)
        index = self.index(of: block)
      }
      count += 1
    }
    entries[index] = Entry(block: block, page: page)
  }

  /// Removes the page of a key and its neighbours. Later entries of the probe sequence move up, so that lookups still
  /// find them.
  package mutating func removePage(ofKey key: Int64) {
    var hole = index(of: Self.block(of: key))
    guard entries[hole].page >= 0 else { return }
    count -= 1
    var next = (hole &+ 1) & (capacity &- 1)
    while entries[next].page >= 0 {
      let distance = (next &- home(of: entries[next].block)) & (capacity &- 1)
      if distance >= (next &- hole) & (capacity &- 1) {
        entries[hole] = entries[next]
        hole = next
      }
      next = (next &+ 1) & (capacity &- 1)
    }
    entries[hole].page = -1
  }

  /// Removes all pages, and keeps the capacity of the hash table.
  package mutating func removeAll() {
    entries.update(repeating: Entry(block: 0, page: -1), count: capacity)
    count = 0
    pageCount = 0
    freePages.removeAll(keepingCapacity: true)
  }

  /// Reserves capacity for the pages of further neighbouring keys.
  package mutating func reserve(_ keys: Int) {
    var wanted = capacity
    while (count + keys / 8 + 1) * 2 > wanted { wanted *= 2 }
    if wanted > capacity { resize(to: wanted) }
  }

  private mutating func resize(to newCapacity: Int) {
    let (old, oldCapacity) = (entries, capacity)
    entries = Self.allocate(newCapacity)
    capacity = newCapacity
    for place in 0..<oldCapacity where old[place].page >= 0 {
      entries[index(of: old[place].block)] = old[place]
    }
    old.deallocate()
  }
}
