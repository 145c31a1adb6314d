// SPDX-License-Identifier: Apache-2.0

/// A set of property indices: one word for the first 64, an array for entities with more.
struct PropertyMask {
  /// The bits of the first 64 indices.
  var low: UInt64 = 0
  private var high: [UInt64] = []

  var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

  func contains(_ index: Int) -> Bool {
    if index < 64 { return low & (1 &<< UInt64(index)) != 0 }
    let word = index / 64 - 1
    return word < high.count && high[word] & (1 &<< UInt64(index % 64)) != 0
  }

  mutating func insert(_ index: Int) {
    if index < 64 {
      low |= 1 &<< UInt64(index)
      return
    }
    let word = index / 64 - 1
    while high.count <= word { high.append(0) }
    high[word] |= 1 &<< UInt64(index % 64)
  }

  mutating func remove(_ index: Int) {
    if index < 64 {
      low &= ~(1 &<< UInt64(index))
    } else if index / 64 - 1 < high.count {
      high[index / 64 - 1] &= ~(1 &<< UInt64(index % 64))
    }
  }

  mutating func removeAll() {
    low = 0
    high = []
  }

  /// The indices in ascending order.
  var indices: [Int] {
    var result: [Int] = []
    for (word, bits) in ([low] + high).enumerated() {
      var rest = bits
      while rest != 0 {
        result.append(word * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return result
  }
}
