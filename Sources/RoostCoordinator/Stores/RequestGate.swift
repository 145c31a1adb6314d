// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Admits requests to a store until it is closed; closing waits for those under way.
///
/// Every request passes twice, so entering and leaving cost one atomic addition each.
final class RequestGate: Sendable {
  /// The number of requests under way, and a flag bit once the gate is closed.
  private let requests = Atomic<Int>(0)
  private let condition = NSCondition()

  private static let closedBit = 1 << 62

  /// Whether requests are refused.
  var refusesRequests: Bool { requests.load(ordering: .acquiring) & Self.closedBit != 0 }

  /// Announces a request.
  ///
  /// - Returns: Whether the request was admitted; then ``leave()`` must follow.
  func enter() -> Bool {
    let before = requests.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    guard before & Self.closedBit != 0 else { return true }
    leave()
    return false
  }

  /// Ends a request.
  func leave() {
    let after = requests.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    guard after == Self.closedBit else { return }
    // The closing thread holds the lock from reading the number until it waits, so it cannot miss this signal.
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }

  /// Refuses further requests and waits for those under way.
  func close() {
    condition.lock()
    requests.bitwiseOr(Self.closedBit, ordering: .acquiringAndReleasing)
    while requests.load(ordering: .acquiring) != Self.closedBit { condition.wait() }
    condition.unlock()
  }
}
