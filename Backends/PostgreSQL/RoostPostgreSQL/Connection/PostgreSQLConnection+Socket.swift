// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostStore

// Socket input and output: libpq never blocks, so a connection waits for its socket here, and only here.
extension PostgreSQLConnection {
  /// How long the server may be silent during a long operation, in seconds.
  private static let patience = 86_400.0

  /// How long the server may be silent now, in seconds.
  var longestSilence: Double { haste ?? (isPatient ? Self.patience : timeout) }

  /// Sends libpq's output buffer. Input that arrives meanwhile is read, or client and server would wait for each
  /// other.
  func flush() throws {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1:
        try wait(forWriting: true)
        guard PQconsumeInput(handle) == 1 else { throw lossError() }
      default: throw lossError()
      }
    }
  }

  /// Waits for the server, and reads its input.
  func waitForData() throws {
    try wait(forWriting: PQflush(handle) == 1)
    guard PQconsumeInput(handle) == 1 else { throw lossError() }
  }

  private func wait(forWriting: Bool) throws {
    // Without a socket, poll(2) would block forever.
    guard PQsocket(handle) >= 0 else { throw lossError() }
    lockWatch?.restart()
    if let stop { return try wait(forWriting: forWriting, stop) }
    let deadline = Deadline(after: longestSilence)
    repeat {
      let seconds = min(deadline.remaining, lockWatch?.remaining ?? .infinity)
      if SocketWait.wait(PQsocket(handle), forWriting: forWriting, seconds: seconds) { return }
      lockWatch?.look(at: handle, backend, within: deadline.remaining)
    } while !deadline.isOver
    // The answer may have arrived during the check.
    if SocketWait.wait(PQsocket(handle), forWriting: forWriting, seconds: 0) { return }
    abandon()
    throw PostgreSQLError(kind: .silent, message: "the server was silent for \(timeout) seconds")
  }

  /// Returns the next result; nil after the last one of a statement.
  func nextResult() throws -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      try waitForData()
    }
    return PQgetResult(handle)
  }
}
