// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Foundation
import Synchronization

/// Serves HTTP on 127.0.0.1: converts requests of libmicrohttpd to values, and values to its responses.
///
/// Each connection has its own thread of libmicrohttpd. A response is made by one call of a function that does not
/// deal with sockets.
final class BrowserServer {
  private let handler: RequestHandler
  private let daemon: OpaquePointer
  /// The port that it listens at.
  let port: Int

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: The port; 0 for any free one.
  ///   - refusal: Returns the response to a request that is rejected by its headers; nil for an admitted one. The
  ///     body of a rejected request is dropped.
  ///   - answer: Makes the responses, on several threads at a time. It gets the port for the access check.
  /// - Throws: ``PortInUse`` when the port cannot be bound.
  init(
    port: Int, refusal: @escaping RequestHandler.Refusal = { _, _ in nil },
    answer: @escaping RequestHandler.Answer
  ) throws {
    let handler = RequestHandler(refusal, answer)
    let owner = Unmanaged.passUnretained(handler).toOpaque()
    guard
      let daemon = roost_http_start(
        UInt16(clamping: port),
        { owner, connection, path, method, _, bytes, count, request in
          RequestHandler.of(owner).handle(connection, path, method, bytes, count, request)
        },
        { owner, _, request, _ in RequestHandler.of(owner).end(request) }, owner)
    else { throw PortInUse(port: port) }
    self.handler = handler
    self.daemon = daemon
    self.port = Int(roost_http_port(daemon))
    handler.port.store(self.port, ordering: .releasing)
  }

  /// The error for a port that cannot be bound.
  struct PortInUse: Error {
    let port: Int
  }

  /// Stops the server after the running handlers have returned. Their responses are not sent: the client sees a
  /// closed connection, and cannot tell whether a running save succeeded.
  func stop() { MHD_stop_daemon(daemon) }
}
