// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that is created at first use. A program that starts needs only a small part of its model.
package final class Lazy<Made: AnyObject & Sendable>: Sendable {
  // A plain address: this is read for every record, and a reference to a `Made` in another generic type would look up
  // that type's metadata each time, because other modules call generic code unspecialised.
  private let address = Atomic<UInt>(0)
  private let make: @Sendable () -> Made

  /// Stores the closure that creates the value. Two threads may both call it at the same time; one of the results is
  /// used.
  package init(_ make: @escaping @Sendable () -> Made) {
    self.make = make
  }

  deinit {
    reference(address.load(ordering: .acquiring))?.release()
  }

  /// The value, which is created at first use.
  package var value: Made {
    if let made = reference(address.load(ordering: .acquiring)) { return Self.made(made) }
    let new = Unmanaged<AnyObject>.passRetained(make())
    let earlier = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing
    ).original
    // Another thread may have been faster: the value that it stored is final.
    guard let taken = reference(earlier) else { return Self.made(new) }
    new.release()
    return Self.made(taken)
  }

  private static func made(_ reference: Unmanaged<AnyObject>) -> Made {
    // Only results of `make` are ever stored.
    unsafeDowncast(reference.takeUnretainedValue(), to: Made.self)
  }

  /// Returns the object at an address: it was retained when its address was stored, and is released in `deinit`.
  private func reference(_ address: UInt) -> Unmanaged<AnyObject>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
  }
}
