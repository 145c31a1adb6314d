// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// A server that refuses connections for now: it starts, recovers or shuts down.
struct StartingServer: Error {
  /// The refusal of the server.
  let refusal: PersistenceError

  private var timeout: PersistenceError {
    PersistenceError(
      .persistentStoreTimeout, "The server was not ready in time. \(refusal.message)")
  }

  /// Retries a connection attempt with growing delays while the server is starting.
  ///
  /// - Throws: The errors of `connect`; `persistentStoreTimeout` when the server is not ready until the deadline.
  static func waiting<Result>(
    until deadline: Deadline, _ cancellation: RequestCancellation? = nil,
    _ connect: () throws -> Result
  ) throws -> Result {
    var pause = 0.02
    var last: StartingServer?
    while true {
      do {
        return try connect()
      } catch let error as PersistenceError where error.code == .persistentStoreTimeout {
        throw last?.timeout ?? error
      } catch let error as StartingServer {
        guard !deadline.isOver else { throw error.timeout }
        try cancellation.check()
        last = error
        // A random delay, so that connections that were refused together do not retry at the same time.
        let seconds = min(pause * Double.random(in: 0.5...1), deadline.remaining)
        Thread.sleep(forTimeInterval: seconds)
        pause = min(pause * 2, 1)
      }
    }
  }
}

/// The message of libpq about a refused connection, at its most verbose level: the SQLSTATE follows the severity, and
/// a last line names the location in the server's source.
struct ConnectionRefusal {
  /// The SQLSTATE; nil when the refusal did not come from the server.
  let code: String?
  /// The message without the code and the location.
  let message: String
  /// The lines of the message.
  private let attempts: [String]

  init(_ text: String) {
    var lines = text.split(separator: "\n").map(String.init)
    lines.removeAll { $0.hasPrefix("LOCATION:") }
    var code: String?
    for (index, line) in lines.enumerated() {
      guard let match = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) else { continue }
      code = String(match.1)
      lines[index] = line.replacingCharacters(in: match.range, with: ":  ")
      break
    }
    self.code = code
    attempts = lines
    message = lines.joined(separator: " ")
  }

  /// Whether the server does not accept connections at present.
  var isStarting: Bool { code == "57P03" }

  /// Whether the refusal may be temporary: the server was not reached, is shutting down, or has no connection left.
  var mayPass: Bool {
    guard let code else { return isOfNetwork }
    return code.hasPrefix("57P") || code.hasPrefix("08") || code == "53300"
  }

  /// The operating system's messages about hosts and networks, in the language of the process.
  private static let networkErrors = [
    ECONNREFUSED, ECONNRESET, ECONNABORTED, ETIMEDOUT, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH,
    ENETDOWN, ENETRESET, EPIPE, EAGAIN, EADDRNOTAVAIL, EMFILE, ENFILE, ENOBUFS,
  ].map { String(cString: strerror($0)) }

  /// libpq's own messages about them.
  private static let networkTexts = [
    "could not translate host name", "timeout expired", "server closed the connection",
    "SSL SYSCALL error: EOF detected", "SSL connection has been closed unexpectedly",
  ]

  /// Whether a host or a network was not reached. Otherwise the cause is in the client's settings, such as a
  /// certificate or an encryption that the server refuses, and the next attempt would fail in the same way.
  private var isOfNetwork: Bool {
    // Of the attempts at several addresses the last one counts; indented lines explain it.
    guard let last = attempts.last(where: { $0.first?.isWhitespace == false }) else { return true }
    // The socket of a server that does not run; a file of the client may be missing, too.
    let isLocal = attempts.contains { $0.contains(".s.PGSQL.") }
    if isLocal, last.hasSuffix(String(cString: strerror(ENOENT))) { return true }
    return (Self.networkErrors + Self.networkTexts).contains { last.contains($0) }
  }
}
