// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Dispatch
import Foundation
import RoostModel
import RoostStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How the request of one caller is stopped when it is cancelled.
///
/// Cancelling only wakes the thread that waits for the server. That thread sends a cancel request and goes on waiting
/// for the answer, which is mostly the error that the statement was canceled. A cancel request takes a connection of
/// its own, and so any time: it is sent by another thread. Until that thread has ended, nobody else may use the
/// connection, or their statement would be canceled instead.
final class RequestStop {
  let cancellation: RequestCancellation
  private var request: CancelRequest?
  /// When the answer is no longer waited for; nil until the server was asked to stop.
  private var end: Deadline?

  /// How long the answer of a server that was asked to stop is waited for, in seconds.
  private static let patience = 1.0

  init(_ cancellation: RequestCancellation) {
    self.cancellation = cancellation
  }

  /// Whether the server was asked to stop.
  var isAsked: Bool { request != nil }

  /// Whether the answer is waited for no longer.
  var isOver: Bool { end?.isOver ?? false }

  /// How long the next wait for the server may take, in seconds.
  func limit(_ seconds: Double) -> Double { min(seconds, end?.remaining ?? seconds) }

  /// Asks the server to stop what it does for a connection, once.
  func ask(_ handle: OpaquePointer) {
    guard request == nil else { return }
    request = CancelRequest(handle)
    end = Deadline(after: Self.patience)
  }

  /// Waits until the server can no longer be told to stop because of this request.
  ///
  /// - Returns: False when that takes too long.
  func settle() -> Bool { request?.wait(seconds: Self.patience) ?? true }
}

/// A cancel request on its way to the server.
final class CancelRequest: Sendable {
  private let isDone = DispatchSemaphore(value: 0)

  init(_ handle: OpaquePointer) {
    // A copy of what it takes to reach the server: it does not need the connection.
    guard let target = PQgetCancel(handle) else {
      isDone.signal()
      return
    }
    // The thread is the only one that has it.
    nonisolated(unsafe) let copy = target
    let isDone = isDone
    Thread.detachNewThread {
      var message = [CChar](repeating: 0, count: 256)
      // Returns when the server has passed it on, and closed the connection.
      _ = PQcancel(copy, &message, Int32(message.count))
      PQfreeCancel(copy)
      isDone.signal()
    }
  }

  func wait(seconds: Double) -> Bool { isDone.wait(timeout: .now() + seconds) == .success }
}

/// A pipe by which any thread wakes the one that waits for a socket.
final class WakePipe: Sendable {
  /// Can be read after ``wake()``.
  let readEnd: Int32
  private let writeEnd: Int32

  /// - Returns: nil when the process has too many files open.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Wakes the waiter, or the next one.
  func wake() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Takes out what woke an earlier wait.
  func drain() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(readEnd, &bytes, 16) > 0 {}
  }
}

// MARK: - The connection

extension PostgreSQLConnection {
  /// Runs a request that can be cancelled while it waits for the server.
  ///
  /// - Throws: `PostgreSQLError` of the kind `cancelled` when it was, and nothing of it was written; what `body`
  ///   throws.
  func asking<Result>(
    for cancellation: RequestCancellation, _ body: () throws -> Result
  ) throws -> Result {
    let wakePipe = self.wakePipe ?? WakePipe()
    self.wakePipe = wakePipe
    wakePipe?.drain()
    let stop = RequestStop(cancellation)
    self.stop = stop
    defer { self.stop = nil }
    let result = Swift.Result { try cancellation.interrupting({ wakePipe?.wake() }, body) }
    guard stop.isAsked else { return try result.get() }
    // A stop that came too late for its request must not reach the next one. One that has ended its request is used
    // up, and the connection as good as before.
    guard case .failure(let error as PostgreSQLError) = result, error.isStopped else {
      abandon()
      return try result.get()
    }
    if !stop.settle() { abandon() }
    throw Self.cancelled
  }

  private static let cancelled = PostgreSQLError(
    kind: .cancelled, message: RequestCancellation.error.message)

  /// Ends a request that was cancelled before the next thing is sent.
  func checkCancelled() throws {
    if stop?.cancellation.isCancelled == true { throw Self.cancelled }
  }

  /// Waits for the server as part of a request that can be cancelled.
  func wait(forWriting: Bool, _ stop: RequestStop) throws {
    let deadline = Deadline(after: longestSilence)
    while true {
      let isCancelled = stop.cancellation.isCancelled
      if isCancelled { stop.ask(handle) }
      // A COMMIT that was sent is never cancelled: its outcome would be unknown.
      let seconds = isCommitSent ? deadline.remaining : stop.limit(deadline.remaining)
      let wakeEnd = isCancelled ? -1 : wakePipe?.readEnd ?? -1
      // Without a pipe, as where no file can be opened, the cancellation is looked for now and then.
      let longest = isCancelled ? .infinity : lockWatch?.remaining ?? .infinity
      let slice = min(isCancelled || wakeEnd >= 0 ? seconds : min(seconds, 0.05), longest)
      let isReady = SocketWait.wait(
        PQsocket(handle), forWriting: forWriting, seconds: slice, wakeEnd: wakeEnd)
      if !isCancelled, stop.cancellation.isCancelled { continue }
      if isReady { return }
      // The answer may have come during the look, and the request may have been cancelled.
      if !isCancelled, lockWatch?.look(at: handle, backend, within: deadline.remaining) == true {
        continue
      }
      let isGivenUp = stop.isOver && !isCommitSent
      // A slice has passed, or a wait has ended a moment before its time.
      guard isGivenUp || deadline.isOver else { continue }
      abandon()
      if isGivenUp { throw Self.cancelled }
      throw PostgreSQLError(
        kind: .silent, message: "the server was silent for \(timeout) seconds")
    }
  }
}
