// SPDX-License-Identifier: Apache-2.0

/// An order-dependent 64-bit hash that is the same in every process.
package struct StableHash {
  package private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init() {}

  /// Adds a number.
  package mutating func mix(_ number: UInt64) {
    var next = (value ^ number) &* 0xBF58_476D_1CE4_E5B9
    next ^= next >> 29
    value = next &* 0x94D0_49BB_1331_11EB
    value ^= value >> 32
  }

  /// Adds bytes, and their number.
  package mutating func mix(bytes: some Sequence<UInt8>) {
    var word: UInt64 = 0
    var count: UInt64 = 0
    for byte in bytes {
      word = word << 8 | UInt64(byte)
      count += 1
      if count & 7 == 0 {
        mix(word)
        word = 0
      }
    }
    mix(word)
    mix(count)
  }
}
