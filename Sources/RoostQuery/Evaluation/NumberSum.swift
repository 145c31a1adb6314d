// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// How many numbers there were and what they add up to: all that a sum, an average or a count is made of, and small, so
/// that those of many groups lie close together.
struct NumberSum: BitwiseCopyable {
  private(set) var integers: Int128 = 0
  private(set) var doubles = 0.0
  private(set) var count = 0

  /// Adds the number in an `integer` or `double` slot; nil is left out.
  @inline(__always)
  mutating func add(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    if RowMemory.isNull(base, slot) { return }
    count &+= 1
    if slot.kind == .double {
      doubles += RowMemory.load(base, slot)
    } else {
      let number: Int64 = RowMemory.load(base, slot)
      integers += Int128(number)
    }
  }

  /// Counts a thing that is no number.
  @inline(__always)
  mutating func addOne() {
    count &+= 1
  }
}
