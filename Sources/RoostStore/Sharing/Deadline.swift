// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A point in time after which nothing is waited for. Clocks that are set do not move it.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  package init(after seconds: Double) {
    // Not rounded: of two deadlines the one that is made of what remains of the other must not end before it.
    instant = .now + .nanoseconds(Int64(min(max(seconds, 0), 1_000_000_000) * 1e9))
  }

  /// The seconds until then; not less than 0.
  package var remaining: Double {
    let duration = ContinuousClock.now.duration(to: instant)
    let (seconds, attoseconds) = duration.components
    return max(0, Double(seconds) + Double(attoseconds) * 1e-18)
  }

  package var isOver: Bool { remaining <= 0 }

  /// The earlier one of this and another.
  package func limited(toSeconds seconds: Double) -> Deadline {
    Deadline(after: min(remaining, seconds))
  }

  /// The date until which a wait of Foundation's goes on before the deadline is looked at again: dates move with the
  /// clock, so none is believed for long.
  fileprivate var nextDate: Date { date(within: 1) }

  fileprivate func date(within seconds: Double) -> Date {
    Date(timeIntervalSinceNow: min(remaining, seconds))
  }

  /// How long a waiter that can be cancelled waits before it checks for that, in seconds.
  fileprivate static let patience = 0.02
}

extension NSLock {
  /// Takes the lock, or gives up when the time is over.
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
  /// Takes the lock, or gives up when the time is over or the request was cancelled.
  ///
  /// - Returns: Whether it was taken.
  /// - Throws: `userCancelled`.
  package func lock(
    until deadline: Deadline, _ cancellation: RequestCancellation?
  ) throws -> Bool {
    guard let cancellation else { return lock(until: deadline) }
    if self.try() { return true }
    // A lock is not let go of for the sake of those who wait: they look by themselves.
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
  /// Waits for a signal; the caller looks again at what it waits for.
  ///
  /// - Returns: Whether there is time left.
  package func wait(until deadline: Deadline) -> Bool {
    guard !deadline.isOver else { return false }
    _ = wait(until: deadline.nextDate)
    return true
  }
}
