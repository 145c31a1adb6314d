// SPDX-License-Identifier: Apache-2.0

/// An open-addressing hash table from numbers to their first positions. A dictionary's hashing would cost more than
/// all other work per grouped row.
package struct NumberTable {
  private var numbers: [Int64] = []
  /// The position of the number in each slot, plus one; 0 for an empty slot.
  private var positions: [Int] = []
  private var shift: UInt64 = 64
  private(set) var count = 0

  package init() {}

  /// Returns the position of a number, or `next` for a new one.
  @inline(__always)
  package mutating func position(of number: Int64, next: Int) -> Int {
    if count &* 2 >= positions.count { grow() }
    var place = home(of: number)
    while positions[place] != 0 {
      if numbers[place] == number { return positions[place] &- 1 }
      place = (place &+ 1) & (positions.count &- 1)
    }
    numbers[place] = number
    positions[place] = next &+ 1
    count &+= 1
    return next
  }

  /// Returns the home slot, from the high bits of the product, which differ even for numbers with common factors.
  @inline(__always)
  private func home(of number: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  private mutating func grow() {
    let old = (numbers, positions)
    let capacity = max(64, positions.count * 2)
    numbers = Array(repeating: 0, count: capacity)
    positions = Array(repeating: 0, count: capacity)
    shift = UInt64(64 - capacity.trailingZeroBitCount)
    for (number, position) in zip(old.0, old.1) where position != 0 {
      var place = home(of: number)
      while positions[place] != 0 { place = (place + 1) & (capacity - 1) }
      numbers[place] = number
      positions[place] = position
    }
  }
}
