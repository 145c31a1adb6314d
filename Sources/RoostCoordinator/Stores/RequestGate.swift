// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lets requests through to a store until it is closed; closing waits for those that are under way.
final class RequestGate: Sendable {
  private let condition = NSCondition()
  // Both are read and written only while `condition` is locked.
  nonisolated(unsafe) private var requestsUnderWay = 0
  nonisolated(unsafe) private var isClosed = false

  /// Whether requests are refused.
  var refusesRequests: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isClosed
  }

  /// Announces a request.
  ///
  /// - Returns: Whether it may go on; then ``leave()`` must follow.
  func enter() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard !isClosed else { return false }
    requestsUnderWay += 1
    return true
  }

  /// Ends a request.
  func leave() {
    condition.lock()
    requestsUnderWay -= 1
    if isClosed && requestsUnderWay == 0 { condition.broadcast() }
    condition.unlock()
  }

  /// Refuses further requests and waits for those under way.
  func close() {
    condition.lock()
    isClosed = true
    while requestsUnderWay > 0 { condition.wait() }
    condition.unlock()
  }
}
