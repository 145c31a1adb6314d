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
  /// Waits until a socket can be read or written, whatever was asked for.
  ///
  /// - Returns: Whether something can be done; false when the time is over.
  static func wait(_ socket: Int32, forWriting: Bool, alsoReading: Bool = true, seconds: Double)
    -> Bool
  {
    let deadline = Deadline(after: seconds)
    while true {
      var events: Int32 = alsoReading ? Int32(POLLIN) : 0
      if forWriting { events |= Int32(POLLOUT) }
      var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
      // Rounded up, so that a wait does not spin through its last millisecond.
      let milliseconds = min(deadline.remaining * 1000 + 0.999, 2_000_000_000)
      let count = poll(&entry, 1, Int32(milliseconds))
      if count > 0 { return true }
      if count == 0, deadline.isOver { return false }
      if count < 0, errno != EINTR { return true }
    }
  }

  /// Whether a socket has something to be read, or was closed by the other side.
  static func isReadable(_ socket: Int32) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) != 0
  }
}
