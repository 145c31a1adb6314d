// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An object that is made on first use and stays then. To read it is a load, whatever its type.
package struct OnceReference: ~Copyable, @unchecked Sendable {
  // Sendable: set once, by an atomic exchange; the object is kept to the end, or until `clear`.

  private let address = Atomic<UInt>(0)

  init() {}

  deinit {
    if let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
      Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }
  }

  /// The object; nil as long as nobody has made it.
  package func load() -> AnyObject? {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else {
      return nil
    }
    return Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Keeps an object unless there is one, and returns the one that stays.
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

  /// Lets go of the object, which may refer back to the owner. Nobody may be reading it: objects of an entity keep its
  /// model, and this is called when the model goes away.
  func clear() {
    let old = address.exchange(0, ordering: .acquiringAndReleasing)
    if let pointer = UnsafeRawPointer(bitPattern: old) {
      Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }
  }
}
