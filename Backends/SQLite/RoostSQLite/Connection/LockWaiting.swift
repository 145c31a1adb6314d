// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostStore

/// The busy handler of a connection: it waits for locks until the time-out, or until the request is cancelled.
///
/// SQLite's own busy time-out checks only the clock, even after `sqlite3_interrupt`.
final class LockWaiting {
  /// How long a statement waits, in seconds.
  var timeout: TimeInterval = 0
  /// The cancellation of the request; nil when it cannot be cancelled.
  fileprivate(set) var cancellation: RequestCancellation?
  private var deadline: Deadline?

  /// The delays between attempts, in seconds: the same as SQLite's.
  private static let pauses = [
    0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.025, 0.025, 0.05, 0.05, 0.1,
  ]

  /// Installs this object as the busy handler; it lives as long as the connection.
  func install(on handle: OpaquePointer) {
    sqlite3_busy_handler(
      handle,
      { context, attempt in
        guard let context else { return 0 }
        let waiting = Unmanaged<LockWaiting>.fromOpaque(context).takeUnretainedValue()
        return waiting.waits(attempt: Int(attempt)) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Sleeps before the next attempt; returns false when the time is over or the request was cancelled.
  private func waits(attempt: Int) -> Bool {
    if attempt == 0 { deadline = nil }
    let limit = deadline ?? Deadline(after: timeout)
    deadline = limit
    guard !limit.isOver, cancellation?.isCancelled != true else { return false }
    let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
    Thread.sleep(forTimeInterval: min(pause, limit.remaining))
    return true
  }
}

extension SQLiteConnection {
  /// Runs a request that can be cancelled while it waits for a lock.
  func asking<Result>(
    for cancellation: RequestCancellation?, _ body: () throws -> Result
  ) throws -> Result {
    guard let cancellation else { return try body() }
    try cancellation.check()
    waiting.cancellation = cancellation
    defer { waiting.cancellation = nil }
    return try body()
  }

  /// Runs statements that are interrupted when the request is cancelled. An interrupt rolls the transaction back, so a
  /// commit is never among them.
  func interruptible<Result>(_ body: () throws -> Result) throws -> Result {
    // Any thread may interrupt a connection, as long as it is open.
    nonisolated(unsafe) let handle = handle
    return try waiting.cancellation.interrupting({ sqlite3_interrupt(handle) }, body)
  }
}
