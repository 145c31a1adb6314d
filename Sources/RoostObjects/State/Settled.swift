// SPDX-License-Identifier: Apache-2.0

/// The properties of an object, by index in the class, that a setter may write on the fast path: the row is not
/// shared, and the slot is recorded as changed.
@frozen @usableFromInline struct Settled {
  @usableFromInline var bits: UInt64 = 0

  /// The first property without a bit.
  @inlinable static var limit: Int { 63 }

  init() {}

  /// Whether the property may be written on the fast path; its index must be below the limit.
  @inlinable @inline(__always)
  func contains(_ property: Int) -> Bool { bits & (1 &<< UInt64(property)) != 0 }

  mutating func insert(_ property: Int) {
    if property < Settled.limit { bits |= 1 &<< UInt64(property) }
  }

  /// Whether a property joins the set as soon as its slot is recorded as changed.
  var isSettling: Bool {
    get { bits >> 63 != 0 }
    set { bits = newValue ? bits | 1 << 63 : bits & ~(1 << 63) }
  }

  /// Empties the set: the next change of each property takes the slow path.
  mutating func removeAll() { bits = 0 }
}
