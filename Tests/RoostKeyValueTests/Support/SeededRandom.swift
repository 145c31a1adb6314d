// SPDX-License-Identifier: Apache-2.0

/// A generator of random numbers that are the same for the same seed: SplitMix64.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &self) < one
  }

  /// Returns random bytes; short ones and ones with a common prefix are frequent.
  mutating func bytes(upTo count: Int) -> [UInt8] {
    let prefix: [UInt8] = chance(1, in: 2) ? [] : Array(repeating: 7, count: 20)
    let length = Int.random(in: 0...count, using: &self)
    return prefix
      + (0..<length).map { _ in UInt8.random(in: chance(1, in: 2) ? 0...2 : 0...255, using: &self) }
  }
}
