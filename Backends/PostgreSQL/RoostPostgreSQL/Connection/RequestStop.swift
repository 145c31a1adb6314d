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
/// Whoever cancels only rings a bell: the thread that waits for the server hears it, asks the server to stop, and goes
/// on waiting for the answer, which is mostly that it has stopped. The server is asked by a connection of its own,
/// which may take any time, so it is done by another thread. As long as that has not ended, nobody else may use the
/// connection: its request would be stopped instead.
final class RequestStop {
  let cancellation: RequestCancellation
  private var cry: CryForStop?
  /// When the answer is no longer waited for; nil until the server was asked to stop.
  private var end: Deadline?

  /// How long the answer of a server that was asked to stop is waited for, in seconds.
  private static let patience = 1.0

  init(_ cancellation: RequestCancellation) {
    self.cancellation = cancellation
  }

  /// Whether the server was asked to stop.
  var isAsked: Bool { cry != nil }

  /// Whether the answer is waited for no longer.
  var isOver: Bool { end?.isOver ?? false }

  /// How long the next wait for the server may take, in seconds.
  func limit(_ seconds: Double) -> Double { min(seconds, end?.remaining ?? seconds) }

  /// Asks the server to stop what it does for a connection, once.
  func ask(_ handle: OpaquePointer) {
    guard cry == nil else { return }
    cry = CryForStop(handle)
    end = Deadline(after: Self.patience)
  }

  /// Waits until the server can no longer be told to stop because of this request.
  ///
  /// - Returns: False when that takes too long.
  func settle() -> Bool { cry?.wait(seconds: Self.patience) ?? true }
}

/// A request to a server to stop, on its way.
private final class CryForStop: Sendable {
  private let isHeard = DispatchSemaphore(value: 0)

  init(_ handle: OpaquePointer) {
    // A copy of what it takes to reach the server: it does not need the connection.
    guard let target = PQgetCancel(handle) else {
      isHeard.signal()
      return
    }
    // The thread is the only one that has it.
    nonisolated(unsafe) let copy = target
    let isHeard = isHeard
    Thread.detachNewThread {
      var message = [CChar](repeating: 0, count: 256)
      // Returns when the server has passed it on, and closed the connection.
      _ = PQcancel(copy, &message, Int32(message.count))
      PQfreeCancel(copy)
      isHeard.signal()
    }
  }

  func wait(seconds: Double) -> Bool { isHeard.wait(timeout: .now() + seconds) == .success }
}

/// A pipe by which any thread wakes the one that waits for a socket.
final class WakeBell: Sendable {
  /// Can be read after the bell was rung.
  let descriptor: Int32
  private let rope: Int32

  /// - Returns: nil when the process has too many files open.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, rope) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(rope)
  }

  /// Wakes whoever waits, or will wait next.
  func ring() {
    var byte: UInt8 = 1
    _ = write(rope, &byte, 1)
  }

  /// Makes the bell silent again.
  func silence() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(descriptor, &bytes, 16) > 0 {}
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
    let bell = self.bell ?? WakeBell()
    self.bell = bell
    bell?.silence()
    let stop = RequestStop(cancellation)
    self.stop = stop
    defer { self.stop = nil }
    let result = Swift.Result { try cancellation.interrupting({ bell?.ring() }, body) }
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
    let deadline = Deadline(after: timeout)
    while true {
      let isCancelled = stop.cancellation.isCancelled
      if isCancelled { stop.ask(handle) }
      // What may be committed is waited for as long as ever.
      let seconds = isCommitSent ? deadline.remaining : stop.limit(deadline.remaining)
      let bell = isCancelled ? -1 : bell?.descriptor ?? -1
      // Who could get no bell looks by itself.
      let slice = isCancelled || bell >= 0 ? seconds : min(seconds, 0.05)
      let isReady = SocketWait.wait(
        PQsocket(handle), forWriting: forWriting, seconds: slice, bell: bell)
      if !isCancelled, stop.cancellation.isCancelled { continue }
      if isReady { return }
      if slice < seconds { continue }
      abandon()
      if stop.isOver, !isCommitSent { throw Self.cancelled }
      throw PostgreSQLError(
        kind: .silent, message: "the server was silent for \(timeout) seconds")
    }
  }
}
