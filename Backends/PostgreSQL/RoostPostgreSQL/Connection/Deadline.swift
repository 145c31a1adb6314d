// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A point in time after which nothing is waited for. Clocks that are set do not move it.
struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  init(after seconds: Double) {
    instant = .now + .milliseconds(Int64(min(max(seconds, 0), 1_000_000_000) * 1000))
  }

  /// The seconds until then; not less than 0.
  var remaining: Double {
    let duration = ContinuousClock.now.duration(to: instant)
    let (seconds, attoseconds) = duration.components
    return max(0, Double(seconds) + Double(attoseconds) * 1e-18)
  }

  var isOver: Bool { remaining <= 0 }

  /// The earlier one of this and another.
  func limited(toSeconds seconds: Double) -> Deadline {
    Deadline(after: min(remaining, seconds))
  }
}

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
