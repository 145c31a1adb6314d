// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The count and the sum of numbers, enough for a sum, an average or a count. It is small, so that those of many
/// groups are adjacent in memory.
package struct NumberSum: BitwiseCopyable {
  private(set) var integers: Int128 = 0
  private(set) var doubles = 0.0
  private(set) var count = 0

  package init() {}

  /// Adds the number in an `integer` or `double` slot; nil is ignored.
  @inline(__always)
  mutating func add(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    if RowMemory.isNull(base, slot) { return }
    if slot.kind == .double {
      add(RowMemory.load(base, slot) as Double)
    } else {
      add(RowMemory.load(base, slot) as Int64)
    }
  }

  /// Adds a number.
  @inline(__always)
  package mutating func add(_ number: Double) {
    count &+= 1
    doubles += number
  }

  /// Adds a number.
  @inline(__always)
  package mutating func add(_ number: Int64) {
    count &+= 1
    integers += Int128(number)
  }

  /// Counts an item without a number.
  @inline(__always)
  package mutating func addOne() {
    count &+= 1
  }
}
