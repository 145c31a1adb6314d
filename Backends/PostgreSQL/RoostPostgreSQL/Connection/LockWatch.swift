// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostStore

/// Looks now and then, while a request waits for the server, whether it waits for something that may last for ever, and
/// lets the server stop the request then. A request that is answered soon costs nothing.
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

  /// How long the server may be silent before this looks, in seconds.
  var remaining: Double { request == nil ? max(next.remaining, 0.001) : .infinity }

  /// The server has said something.
  mutating func restart() { next = Deadline(after: pause) }

  /// Looks, if it is time, and asks the server to stop a request that waits in vain. The answer is waited for as
  /// before: it is mostly the error that the statement was canceled.
  ///
  /// - Parameter seconds: How long the request may still wait: looking takes no longer, nor longer than a second.
  /// - Returns: Whether it was time, so that some has passed.
  @discardableResult
  mutating func look(at handle: OpaquePointer, _ process: Int32, within seconds: Double) -> Bool {
    guard request == nil, next.isOver, seconds > 0 else { return false }
    if question.isHopeless(process, min(seconds, 1)) { request = CancelRequest(handle) }
    restart()
    return true
  }

  /// Whether the server was asked to stop the request.
  fileprivate var hasStopped: Bool { request != nil }

  /// Whether the connection is as good as before: a stop that came too late must not reach its next request.
  fileprivate func leavesWell(isStopped: Bool) -> Bool {
    guard let request else { return true }
    return isStopped && request.wait(seconds: pause)
  }
}

/// Asks whether a process of the server, of which the number is given, waits in vain; within so many seconds.
final class LockQuestion: Sendable {
  let isHopeless: @Sendable (Int32, Double) -> Bool

  init(_ isHopeless: @escaping @Sendable (Int32, Double) -> Bool) {
    self.isHopeless = isHopeless
  }
}

extension PostgreSQLConnection {
  /// Runs a request whose waits are watched.
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
