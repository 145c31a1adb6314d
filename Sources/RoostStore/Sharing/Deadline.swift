// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A point in time after which waits give up. Changes of the wall clock do not move it.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  package init(after seconds: Double) {
    // Not rounded: a deadline made from the remaining time of another one must not end before it.
    instant = .now + .nanoseconds(Int64(min(max(seconds, 0), 1_000_000_000) * 1e9))
  }

  /// The remaining seconds; never less than 0.
  package var remaining: Double {
    let duration = ContinuousClock.now.duration(to: instant)
    let (seconds, attoseconds) = duration.components
    return max(0, Double(seconds) + Double(attoseconds) * 1e-18)
  }

  package var isOver: Bool { remaining <= 0 }

  /// Returns the earlier of this deadline and another one.
  package func limited(toSeconds seconds: Double) -> Deadline {
    Deadline(after: min(remaining, seconds))
  }

  /// The date until which a Foundation wait runs before the deadline is checked again; short, because dates move with
  /// the wall clock.
  fileprivate var nextDate: Date { date(within: 1) }

  fileprivate func date(within seconds: Double) -> Date {
    Date(timeIntervalSinceNow: min(remaining, seconds))
  }

  /// The polling interval for cancellation in seconds.
  fileprivate static let patience = 0.02
}

extension NSLock {
  /// Takes the lock, or gives up at the deadline.
  ///
  /// - Returns: Whether it was taken.
  package func lock(until deadline: Deadline) -> Bool {
    if self.try() { return true }
    while !deadline.isOver {
      if lock(before: deadline.nextDate) { return true }
    }
    return false
  }
}

extension NSLock {
  /// Takes the lock, or gives up at the deadline or the request was cancelled.
  ///
  /// - Returns: Whether it was taken.
  /// - Throws: `userCancelled`.
  package func lock(
    until deadline: Deadline, _ cancellation: RequestCancellation?
  ) throws -> Bool {
    guard let cancellation else { return lock(until: deadline) }
    if self.try() { return true }
    // The lock cannot be interrupted, so waiters poll for cancellation.
    while !deadline.isOver {
      try cancellation.check()
      if lock(before: deadline.date(within: Deadline.patience)) { return true }
    }
    return false
  }
}

extension NSCondition {
  /// Waits for a signal, or until the request is cancelled.
  ///
  /// - Returns: Whether there is time left.
  /// - Throws: `userCancelled`.
  package func wait(
    until deadline: Deadline, _ cancellation: RequestCancellation?
  ) throws -> Bool {
    guard let cancellation else { return wait(until: deadline) }
    guard !deadline.isOver else { return false }
    try cancellation.check()
    _ = wait(until: deadline.date(within: Deadline.patience))
    try cancellation.check()
    return true
  }
}

extension NSCondition {
  /// Waits for a signal; the caller checks its condition again.
  ///
  /// - Returns: Whether there is time left.
  package func wait(until deadline: Deadline) -> Bool {
    guard !deadline.isOver else { return false }
    _ = wait(until: deadline.nextDate)
    return true
  }
}
