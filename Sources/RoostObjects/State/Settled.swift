// SPDX-License-Identifier: Apache-2.0

/// The properties of an object, by their places in the class, that may be written without ceremony: the row is the
/// object's own, and that the slot is changed is noted.
@frozen @usableFromInline struct Settled {
  @usableFromInline var bits: UInt64 = 0

  /// The first property that has no bit.
  @inlinable static var limit: Int { 63 }

  init() {}

  /// Whether the property is one; it must be below the limit.
  @inlinable @inline(__always)
  func contains(_ property: Int) -> Bool { bits & (1 &<< UInt64(property)) != 0 }

  mutating func insert(_ property: Int) {
    if property < Settled.limit { bits |= 1 &<< UInt64(property) }
  }

  /// Whether a property becomes one as soon as its slot is noted.
  var isSettling: Bool {
    get { bits >> 63 != 0 }
    set { bits = newValue ? bits | 1 << 63 : bits & ~(1 << 63) }
  }

  /// Forgets all: the next change is noted from the beginning.
  mutating func removeAll() { bits = 0 }
}
