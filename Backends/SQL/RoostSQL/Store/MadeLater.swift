// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that is made when it is first asked for. A program that starts needs little of all that its model says.
package final class MadeLater<Made: AnyObject & Sendable>: Sendable {
  private let made = AtomicLazyReference<Made>()
  private let make: @Sendable () -> Made

  /// Remembers how it is made. Two threads that ask at the same time may both make it; one of them is taken.
  package init(_ make: @escaping @Sendable () -> Made) {
    self.make = make
  }

  /// What was made.
  package var value: Made {
    if let value = made.load() { return value }
    return made.storeIfNil(make())
  }
}
