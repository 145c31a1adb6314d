// SPDX-License-Identifier: Apache-2.0

import CSwiftRuntime
import Synchronization

/// A reference that does not keep its object, as a weak one does not.
///
/// References to an object that has weak ones are counted at three times the cost, for as long as it lives. An object
/// that every request counts has a loose reference in their place, which it keeps itself, and which others hold.
package final class LooseReference: Sendable {
  // Sendable: what is kept is an address, from which a reference is made only behind the lock.
  private struct Target: @unchecked Sendable {
    var object: Unmanaged<AnyObject>?
  }

  private let target = Mutex(Target())

  /// Makes a reference to no object.
  package init() {}

  /// Refers to an object from now on, which calls ``letGo()`` in its `deinit`.
  package func refer(to object: AnyObject) {
    let target = Target(object: .passUnretained(object))
    self.target.withLock { $0 = target }
  }

  /// Refers to nothing any more: the object goes away.
  package func letGo() {
    target.withLock { $0.object = nil }
  }

  /// The object; nil once its last reference has gone.
  package var object: AnyObject? {
    // Its memory is there while the lock is held: `letGo()` waits for that.
    let held = target.withLock { target in
      guard let object = target.object, swift_tryRetain(object.toOpaque()) != nil else {
        return Target()
      }
      return target
    }
    return held.object?.takeRetainedValue()
  }
}
