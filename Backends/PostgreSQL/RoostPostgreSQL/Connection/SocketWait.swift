// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Waiting for a socket.
enum SocketWait {
  /// Waits until a socket can be read or written, or the wake end can be read.
  ///
  /// - Parameter wakeEnd: Another descriptor that ends the wait when it can be read; -1 for none.
  /// - Returns: Whether a descriptor is ready; false when the time is over.
  static func wait(
    _ socket: Int32, forWriting: Bool, alsoReading: Bool = true, seconds: Double,
    wakeEnd: Int32 = -1
  ) -> Bool {
    let deadline = Deadline(after: seconds)
    while true {
      var events: Int32 = alsoReading ? Int32(POLLIN) : 0
      if forWriting { events |= Int32(POLLOUT) }
      var entries = (
        pollfd(fd: socket, events: Int16(events), revents: 0),
        pollfd(fd: wakeEnd, events: Int16(POLLIN), revents: 0)
      )
      // Rounded up, so that a wait does not spin through its last millisecond.
      let milliseconds = min(deadline.remaining * 1000 + 0.999, 2_000_000_000)
      let count = withUnsafeMutableBytes(of: &entries) {
        poll($0.assumingMemoryBound(to: pollfd.self).baseAddress, 2, Int32(milliseconds))
      }
      if count > 0 { return true }
      if count == 0, deadline.isOver { return false }
      // When poll fails, as for lack of memory, it is called again until the time is over.
      if count < 0, errno != EINTR {
        guard !deadline.isOver else { return false }
        usleep(1_000)
      }
    }
  }

  /// Waits like ``wait(_:forWriting:alsoReading:seconds:)``, and polls whether the request was cancelled: a connection
  /// that is being opened has no pipe yet that could wake it.
  ///
  /// - Throws: `userCancelled`.
  static func wait(
    _ socket: Int32, forWriting: Bool, alsoReading: Bool, seconds: Double,
    _ cancellation: RequestCancellation?
  ) throws -> Bool {
    guard let cancellation else {
      return wait(socket, forWriting: forWriting, alsoReading: alsoReading, seconds: seconds)
    }
    let deadline = Deadline(after: seconds)
    repeat {
      try cancellation.check()
      let slice = min(deadline.remaining, 0.02)
      if wait(socket, forWriting: forWriting, alsoReading: alsoReading, seconds: slice) {
        return true
      }
    } while !deadline.isOver
    return false
  }

  /// Whether a socket has something to be read, or was closed by the other side.
  static func isReadable(_ socket: Int32) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) != 0
  }
}
