// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostStore

/// Checks periodically, while a request waits for the server, whether it waits for a lock that may never be released,
/// and cancels the request then. A request that is answered soon costs nothing.
struct LockWatch {
  private let question: LockQuestion
  private let pause: Double
  private var next: Deadline
  private var request: CancelRequest?

  /// - Parameter timeout: How long the server may be silent, in seconds.
  init(_ question: LockQuestion, timeout: Double) {
    self.question = question
    pause = min(1, timeout / 4)
    next = Deadline(after: pause)
  }

  /// How long the server may be silent before the next check, in seconds.
  var remaining: Double { request == nil ? max(next.remaining, 0.001) : .infinity }

  /// Restarts the interval, because the server has sent data.
  mutating func restart() { next = Deadline(after: pause) }

  /// Runs the check if it is due, and sends a cancel request when the wait is hopeless. The answer is awaited as
  /// before: usually it is the error that the statement was canceled.
  ///
  /// - Parameter seconds: How long the request may still wait: the check takes no longer, nor longer than a second.
  /// - Returns: Whether the check was due, so that some time has passed.
  @discardableResult
  mutating func look(at handle: OpaquePointer, _ process: Int32, within seconds: Double) -> Bool {
    guard request == nil, next.isOver, seconds > 0 else { return false }
    if question.isHopeless(process, min(seconds, 1)) { request = CancelRequest(handle) }
    restart()
    return true
  }

  /// Whether a cancel request was sent.
  fileprivate var hasStopped: Bool { request != nil }

  /// Whether the connection can be used again: a late cancel request must not reach its next request.
  fileprivate func leavesWell(isStopped: Bool) -> Bool {
    guard let request else { return true }
    return isStopped && request.wait(seconds: pause)
  }
}

/// Asks whether the server process with a given number waits in vain, within a time limit in seconds.
final class LockQuestion: Sendable {
  let isHopeless: @Sendable (Int32, Double) -> Bool

  init(_ isHopeless: @escaping @Sendable (Int32, Double) -> Bool) {
    self.isHopeless = isHopeless
  }
}

extension PostgreSQLConnection {
  /// Runs a request whose lock waits are watched.
  func watching<Result>(_ watch: LockWatch?, _ body: () throws -> Result) throws -> Result {
    lockWatch = watch
    var isStopped = false
    defer {
      if lockWatch?.leavesWell(isStopped: isStopped) == false { abandon() }
      lockWatch = nil
    }
    do {
      return try body()
    } catch let error as PostgreSQLError {
      isStopped = error.isStopped
      guard isStopped, lockWatch?.hasStopped == true else { throw error }
      throw error.asStoppedByWatch
    }
  }
}
