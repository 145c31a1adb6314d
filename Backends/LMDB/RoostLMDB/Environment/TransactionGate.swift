// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Lets many in at a time, or one alone: the addresses of a file can move only while nobody reads it.
///
/// Going in and out is one atomic addition as long as nobody wants to be alone.
final class TransactionGate: Sendable {
  /// How many are inside; and one bit, while one is exclusive or waits for it.
  private let inside = Atomic<Int>(0)
  private let condition = NSCondition()

  private static let aloneBit = 1 << 62

  /// Goes in; waits while another is exclusive.
  func enter() {
    while inside.wrappingAdd(1, ordering: .acquiring).oldValue & Self.aloneBit != 0 {
      leave()
      condition.lock()
      while inside.load(ordering: .acquiring) & Self.aloneBit != 0 { condition.wait() }
      condition.unlock()
    }
  }

  /// Goes out.
  func leave() {
    guard inside.wrappingSubtract(1, ordering: .releasing).newValue == Self.aloneBit else { return }
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }

  /// Calls `body` while nobody is inside. The caller must not be inside itself.
  ///
  /// - Throws: `storeBusy` when not all have left when the time is over.
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

  /// Waits until those who are inside have left, however long that takes.
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
