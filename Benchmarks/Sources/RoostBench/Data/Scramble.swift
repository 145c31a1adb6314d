// SPDX-License-Identifier: Apache-2.0

/// Deterministic pseudo-random numbers: the finalizer of SplitMix64.
enum Scramble {
  static func bits(_ index: Int, _ salt: UInt64) -> UInt64 {
    var x = UInt64(truncatingIfNeeded: index) &+ salt &* 0x9E37_79B9_7F4A_7C15
    x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
    x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
    return x ^ (x >> 31)
  }

  /// Returns a number from 0 up to, but not including, `bound`.
  static func below(_ bound: Int, _ index: Int, _ salt: UInt64) -> Int {
    Int(bits(index, salt) % UInt64(bound))
  }

  /// Returns `count` different numbers from 0 up to `bound` in random order, so that lookups by them have no
  /// locality.
  static func choice(_ count: Int, below bound: Int) -> [Int] {
    var numbers = Array(0..<bound)
    let count = min(count, bound)
    for place in 0..<count {
      numbers.swapAt(place, place + below(bound - place, place, 77))
    }
    return Array(numbers.prefix(count))
  }
}
