// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// A server that is there and lets nobody in yet: it starts, recovers or shuts down to start again.
struct StartingServer: Error {
  /// What it said.
  let refusal: PersistenceError

  private var timeout: PersistenceError {
    PersistenceError(
      .persistentStoreTimeout, "The server was not ready in time. \(refusal.message)")
  }

  /// Tries to connect for as long as the server is starting, with pauses that grow.
  ///
  /// - Throws: What `connect` throws; `persistentStoreTimeout` when the server is not ready until the deadline.
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
        // Connections that were refused together do not retry at the same time.
        let seconds = min(pause * Double.random(in: 0.5...1), deadline.remaining)
        Thread.sleep(forTimeInterval: seconds)
        pause = min(pause * 2, 1)
      }
    }
  }
}

/// What libpq says of a connection that was refused, at its most talkative: the code of the SQL standard stands after
/// the severity, and a last line says where in the server's source it was.
struct ConnectionRefusal {
  /// The code; nil when it was not the server that refused.
  let code: String?
  /// What was said, without the code and the place.
  let message: String
  /// The lines of it.
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

  /// Whether the server said that it cannot be connected now.
  var isStarting: Bool { code == "57P03" }

  /// Whether it is about the moment: the server was not reached, is going away, or has no connection left.
  var mayPass: Bool {
    guard let code else { return isOfNetwork }
    return code.hasPrefix("57P") || code.hasPrefix("08") || code == "53300"
  }

  /// What the operating system says of a host or a network, in the language of the process.
  private static let networkErrors = [
    ECONNREFUSED, ECONNRESET, ECONNABORTED, ETIMEDOUT, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH,
    ENETDOWN, ENETRESET, EPIPE, EAGAIN, EADDRNOTAVAIL, EMFILE, ENFILE, ENOBUFS,
  ].map { String(cString: strerror($0)) }

  /// What libpq itself says of them.
  private static let networkTexts = [
    "could not translate host name", "timeout expired", "server closed the connection",
    "SSL SYSCALL error: EOF detected", "SSL connection has been closed unexpectedly",
  ]

  /// Whether libpq has met a host or a network that was not there. Else it is what the client was told to do, as to use
  /// a certificate or an encryption that the server refuses, and the next attempt ends as this one.
  private var isOfNetwork: Bool {
    // Of the attempts at several addresses the last one counts; what is indented explains it.
    guard let last = attempts.last(where: { $0.first?.isWhitespace == false }) else { return true }
    // The socket of a server that does not run; a file of the client may be missing, too.
    let isLocal = attempts.contains { $0.contains(".s.PGSQL.") }
    if isLocal, last.hasSuffix(String(cString: strerror(ENOENT))) { return true }
    return (Self.networkErrors + Self.networkTexts).contains { last.contains($0) }
  }
}
