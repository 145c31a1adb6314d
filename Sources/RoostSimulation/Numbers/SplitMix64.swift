// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit

/// A small generator of pseudo-random numbers: the same seed gives the same numbers on every platform, for ever.
///
/// ```swift
/// var generator = SplitMix64(seed: 7)
/// let number = Int.random(in: 0..<100, using: &generator)
/// ```
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 to one less than `bound`, which must be positive. The remainder slightly favours small
  /// numbers, and is the same with every standard library.
  package mutating func below(_ bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }
}
