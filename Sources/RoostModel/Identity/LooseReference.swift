// SPDX-License-Identifier: Apache-2.0

import CSwiftRuntime
import Synchronization

/// A non-owning reference, like a weak one.
///
/// Once an object has a weak reference, retaining and releasing it costs three times as much for its lifetime. An
/// object that every request retains has a loose reference instead, which it owns itself and others share.
package final class LooseReference: Sendable {
  // Sendable: it contains an address, from which a reference is made only under the lock.
  private struct Target: @unchecked Sendable {
    var object: Unmanaged<AnyObject>?
  }

  private let target = Mutex(Target())

  /// Makes a reference to no object.
  package init() {}

  /// Sets the referenced object, which must call ``letGo()`` in its `deinit`.
  package func refer(to object: AnyObject) {
    let target = Target(object: .passUnretained(object))
    self.target.withLock { $0 = target }
  }

  /// Clears the reference, because the object is being deallocated.
  package func letGo() {
    target.withLock { $0.object = nil }
  }

  /// The object; nil once its last strong reference was released.
  package var object: AnyObject? {
    // Its memory stays valid while the lock is held, because `letGo()` waits for it.
    let held = target.withLock { target in
      guard let object = target.object, swift_tryRetain(object.toOpaque()) != nil else {
        return Target()
      }
      return target
    }
    return held.object?.takeRetainedValue()
  }
}
