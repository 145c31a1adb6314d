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

/// Stops the request of one caller when it is cancelled.
///
/// Cancelling only wakes the thread that waits for the server. That thread starts a cancel request and goes on waiting
/// for the answer, which usually is the error that the statement was canceled. A cancel request takes a connection of
/// its own, and so an unknown time: another thread sends it. Until that thread has ended, no other request may use the
/// connection, or its statement could be canceled instead.
final class RequestStop {
  let cancellation: RequestCancellation
  private var request: CancelRequest?
  /// When to stop waiting for the answer; nil until the cancel request was started.
  private var end: Deadline?

  /// How long to wait for the answer after a cancel request, in seconds.
  private static let patience = 1.0

  init(_ cancellation: RequestCancellation) {
    self.cancellation = cancellation
  }

  /// Whether a cancel request was started.
  var isAsked: Bool { request != nil }

  /// Whether the time for the answer is over.
  var isOver: Bool { end?.isOver ?? false }

  /// Returns how long the next wait for the server may take, in seconds.
  func limit(_ seconds: Double) -> Double { min(seconds, end?.remaining ?? seconds) }

  /// Sends a cancel request for a connection, once.
  func ask(_ handle: OpaquePointer) {
    guard request == nil else { return }
    request = CancelRequest(handle)
    end = Deadline(after: Self.patience)
  }

  /// Waits until the cancel request can no longer reach the server.
  ///
  /// - Returns: False when that takes too long.
  func settle() -> Bool { request?.wait(seconds: Self.patience) ?? true }
}

/// A cancel request that is being sent to the server.
final class CancelRequest: Sendable {
  private let isDone = DispatchSemaphore(value: 0)

  init(_ handle: OpaquePointer) {
    // A copy of the address and key of the server process: it does not need the connection.
    guard let target = PQgetCancel(handle) else {
      isDone.signal()
      return
    }
    // No other thread uses it.
    nonisolated(unsafe) let copy = target
    let isDone = isDone
    Thread.detachNewThread {
      var message = [CChar](repeating: 0, count: 256)
      // Returns when the server has processed it, and closed its connection.
      _ = PQcancel(copy, &message, Int32(message.count))
      PQfreeCancel(copy)
      isDone.signal()
    }
  }

  func wait(seconds: Double) -> Bool { isDone.wait(timeout: .now() + seconds) == .success }
}

/// A pipe that lets any thread wake the one that waits for a socket.
final class WakePipe: Sendable {
  /// The end that becomes readable after ``wake()``.
  let readEnd: Int32
  private let writeEnd: Int32

  /// - Returns: nil when the process has too many open files.
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

  /// Wakes the thread that waits, or the next one that will.
  func wake() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Discards the bytes of an earlier wake-up.
  func drain() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(readEnd, &bytes, 16) > 0 {}
  }
}

// MARK: - The connection

extension PostgreSQLConnection {
  /// Runs a request that can be cancelled while it waits for the server.
  ///
  /// - Throws: `PostgreSQLError` of the kind `cancelled` when it was cancelled and nothing was written; the errors of
  ///   `body`.
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
    // A late cancel request must not reach the next statement. One that has ended its own statement is used up, and
    // the connection can be used again.
    guard case .failure(let error as PostgreSQLError) = result, error.isStopped else {
      abandon()
      return try result.get()
    }
    if !stop.settle() { abandon() }
    throw Self.cancelled
  }

  private static let cancelled = PostgreSQLError(
    kind: .cancelled, message: RequestCancellation.error.message)

  /// Throws if the request was cancelled, before the next statement is sent.
  func checkCancelled() throws {
    if stop?.cancellation.isCancelled == true { throw Self.cancelled }
  }

  /// Waits for the server within a request that can be cancelled.
  func wait(forWriting: Bool, _ stop: RequestStop) throws {
    let deadline = Deadline(after: longestSilence)
    while true {
      let isCancelled = stop.cancellation.isCancelled
      if isCancelled { stop.ask(handle) }
      // A COMMIT that was sent is never cancelled: its outcome would be unknown.
      let seconds = isCommitSent ? deadline.remaining : stop.limit(deadline.remaining)
      let wakeEnd = isCancelled ? -1 : wakePipe?.readEnd ?? -1
      // Without a pipe, as when no file can be opened, the cancellation is polled.
      let longest = isCancelled ? .infinity : lockWatch?.remaining ?? .infinity
      let slice = min(isCancelled || wakeEnd >= 0 ? seconds : min(seconds, 0.05), longest)
      let isReady = SocketWait.wait(
        PQsocket(handle), forWriting: forWriting, seconds: slice, wakeEnd: wakeEnd)
      if !isCancelled, stop.cancellation.isCancelled { continue }
      if isReady { return }
      // The answer may have arrived during the check, and the request may have been cancelled.
      if !isCancelled, lockWatch?.look(at: handle, backend, within: deadline.remaining) == true {
        continue
      }
      let isGivenUp = stop.isOver && !isCommitSent
      // A slice has passed, or a wait has ended slightly before its time.
      guard isGivenUp || deadline.isOver else { continue }
      abandon()
      if isGivenUp { throw Self.cancelled }
      throw PostgreSQLError(
        kind: .silent, message: "the server was silent for \(timeout) seconds")
    }
  }
}
