// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A barrier: threads wait until all have arrived, and then continue at the same time.
package final class Meeting: @unchecked Sendable {
  // Sendable: the number is read and written under the condition's lock.
  private let condition = NSCondition()
  private var missing: Int

  /// - Parameter count: The number of threads that meet; later ones pass.
  package init(of count: Int) {
    missing = count
  }

  /// Waits for the others, without a timeout.
  package func attend() {
    condition.lock()
    defer { condition.unlock() }
    guard missing > 0 else { return }
    missing -= 1
    condition.broadcast()
    // A participant that fails never arrives: then the case is to fail, and not to hang.
    let limit = Date(timeIntervalSinceNow: 30)
    while missing > 0, condition.wait(until: limit) {}
  }
}
