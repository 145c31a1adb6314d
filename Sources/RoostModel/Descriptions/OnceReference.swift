// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A reference that is set once, on first use. Reading it is a single atomic load.
package struct OnceReference: ~Copyable, @unchecked Sendable {
  // Sendable: set once, by an atomic exchange; the object is kept to the end, or until `clear`.

  private let address = Atomic<UInt>(0)

  init() {}

  deinit {
    if let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
      Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }
  }

  /// Returns the object; nil until it is set.
  package func load() -> AnyObject? {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else {
      return nil
    }
    return Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Stores an object unless there is one, and returns the stored one.
  package func storeIfNil(_ object: AnyObject) -> AnyObject {
    let new = Unmanaged.passRetained(object)
    let result = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
    guard !result.exchanged, let other = UnsafeRawPointer(bitPattern: result.original) else {
      return object
    }
    new.release()
    return Unmanaged<AnyObject>.fromOpaque(other).takeUnretainedValue()
  }

  /// Releases the object, which may refer back to the owner. There must be no concurrent readers: objects of an
  /// entity retain its model, and this is called when the model is deallocated.
  func clear() {
    let old = address.exchange(0, ordering: .acquiringAndReleasing)
    if let pointer = UnsafeRawPointer(bitPattern: old) {
      Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }
  }
}
