// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that is made when it is first asked for. A program that starts needs little of all that its model says.
package final class Lazy<Made: AnyObject & Sendable>: Sendable {
  // A plain address of a plain object: this is asked at every record, and a reference to a `Made` in another generic
  // type would look up that type each time, for other modules call generic code as it is.
  private let address = Atomic<UInt>(0)
  private let make: @Sendable () -> Made

  /// Remembers how it is made. Two threads that ask at the same time may both make it; one of them is taken.
  package init(_ make: @escaping @Sendable () -> Made) {
    self.make = make
  }

  deinit {
    reference(address.load(ordering: .acquiring))?.release()
  }

  /// What was made.
  package var value: Made {
    if let made = reference(address.load(ordering: .acquiring)) { return Self.made(made) }
    let new = Unmanaged<AnyObject>.passRetained(make())
    let earlier = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing
    ).original
    // Another thread may have been faster: what it stored stays for good.
    guard let taken = reference(earlier) else { return Self.made(new) }
    new.release()
    return Self.made(taken)
  }

  private static func made(_ reference: Unmanaged<AnyObject>) -> Made {
    // Nothing but what `make` returned is ever stored.
    unsafeDowncast(reference.takeUnretainedValue(), to: Made.self)
  }

  /// What an address stands for: it was retained when its address was stored, and is released with this object.
  private func reference(_ address: UInt) -> Unmanaged<AnyObject>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
  }
}
