// SPDX-License-Identifier: Apache-2.0

/// A set of record keys: an open-addressing hash set for one pass over many rows.
struct KeySet {
  /// The keys; a free entry holds 0, which is not the key of any record.
  private var places: ContiguousArray<Int64>
  private var count = 0
  private var hasZero = false

  init() {
    places = ContiguousArray(repeating: 0, count: 64)
  }

  /// Adds a key; returns false when it is in the set already.
  mutating func insert(_ key: Int64) -> Bool {
    if key == 0 {
      defer { hasZero = true }
      return !hasZero
    }
    var place = home(of: key)
    while places[place] != 0 {
      if places[place] == key { return false }
      place = (place &+ 1) & (places.count &- 1)
    }
    places[place] = key
    count += 1
    if count * 2 > places.count { grow() }
    return true
  }

  private func home(of key: Int64) -> Int {
    let mixed = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> 32) & (places.count &- 1)
  }

  private mutating func grow() {
    let old = places
    places = ContiguousArray(repeating: 0, count: old.count * 2)
    for key in old where key != 0 {
      var place = home(of: key)
      while places[place] != 0 { place = (place &+ 1) & (places.count &- 1) }
      places[place] = key
    }
  }
}
