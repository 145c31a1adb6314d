// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Lets `perform` blocks hold back the routing of requests: while a block runs, only requests of its own thread find
/// their stores; those of other threads wait (B228).
final class RoutingGate: Sendable {
  private let condition = NSCondition()
  // Both are read and written only while `condition` is locked.
  nonisolated(unsafe) private var owner: ObjectIdentifier?
  nonisolated(unsafe) private var depth = 0
  /// Whether there is an owner, for the fast path; written while `condition` is locked.
  private let isOwned = Atomic<Bool>(false)

  private static var thisThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

  /// Whether the calling thread runs a block.
  var isOwnedByThisThread: Bool {
    condition.lock()
    defer { condition.unlock() }
    return owner == Self.thisThread
  }

  /// Waits until no other thread runs a block.
  func pass() {
    guard isOwned.load(ordering: .acquiring) else { return }
    condition.lock()
    defer { condition.unlock() }
    let thread = Self.thisThread
    while let owner, owner != thread { condition.wait() }
  }

  /// Runs a block exclusively; reentrant on the same thread.
  func exclusively<Result>(_ block: () throws -> Result) rethrows -> Result {
    let thread = Self.thisThread
    condition.lock()
    while let owner, owner != thread { condition.wait() }
    owner = thread
    depth += 1
    isOwned.store(true, ordering: .releasing)
    condition.unlock()
    defer {
      condition.lock()
      depth -= 1
      if depth == 0 {
        owner = nil
        isOwned.store(false, ordering: .releasing)
        condition.broadcast()
      }
      condition.unlock()
    }
    return try block()
  }
}
