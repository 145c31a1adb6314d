// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// A readers-writer lock: the memory map of a file can move only while it has no readers.
///
/// Entering and leaving cost one atomic addition each while no exclusive access is requested.
final class TransactionGate: Sendable {
  /// The number of callers inside, and one bit that is set while exclusive access is held or requested.
  private let inside = Atomic<Int>(0)
  private let condition = NSCondition()

  private static let aloneBit = 1 << 62

  /// Enters the gate; waits during exclusive access.
  func enter() {
    while inside.wrappingAdd(1, ordering: .acquiring).oldValue & Self.aloneBit != 0 {
      leave()
      condition.lock()
      while inside.load(ordering: .acquiring) & Self.aloneBit != 0 { condition.wait() }
      condition.unlock()
    }
  }

  /// Leaves the gate.
  func leave() {
    guard inside.wrappingSubtract(1, ordering: .releasing).newValue == Self.aloneBit else { return }
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }

  /// Calls `body` with exclusive access. The caller must not be inside itself.
  ///
  /// - Throws: `storeBusy` when callers are still inside at the timeout.
  func alone<Result>(timeout: TimeInterval, _ body: () throws -> Result) throws -> Result {
    let deadline = Deadline(after: timeout)
    condition.lock()
    while inside.load(ordering: .acquiring) & Self.aloneBit != 0 { condition.wait() }
    inside.bitwiseOr(Self.aloneBit, ordering: .acquiringAndReleasing)
    while inside.load(ordering: .acquiring) != Self.aloneBit {
      guard condition.wait(until: deadline) else {
        open()
        throw PersistenceError(
          .storeBusy, "Others read the store until the time was over, and it could not grow.")
      }
    }
    condition.unlock()
    defer {
      condition.lock()
      open()
    }
    return try body()
  }

  /// Waits without a timeout until all callers have left.
  func waitUntilEmpty() {
    condition.lock()
    while inside.load(ordering: .acquiring) & Self.aloneBit != 0 { condition.wait() }
    inside.bitwiseOr(Self.aloneBit, ordering: .acquiringAndReleasing)
    while inside.load(ordering: .acquiring) != Self.aloneBit { condition.wait() }
    open()
  }

  private func open() {
    inside.bitwiseAnd(~Self.aloneBit, ordering: .acquiringAndReleasing)
    condition.broadcast()
    condition.unlock()
  }
}
