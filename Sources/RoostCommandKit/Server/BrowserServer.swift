// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Foundation
import Synchronization

/// Serves answers over HTTP on 127.0.0.1: turns requests of libmicrohttpd into values, and answers into its responses.
///
/// Each connection has a thread of libmicrohttpd's own. The answer is made by one call of a function, which knows
/// nothing of sockets.
final class BrowserServer {
  private let handler: RequestHandler
  private let daemon: OpaquePointer
  /// The port that it listens at.
  let port: Int

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: The port; 0 for any that is free.
  ///   - refusal: Answers a request that is not let in by its headers; nil for one that is. Its body is not kept.
  ///   - answer: Makes the answers, on several threads at a time. It gets the port, which a request is checked by.
  /// - Throws: ``PortInUse`` when nobody can listen there.
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

  /// Nobody can listen at a port.
  struct PortInUse: Error {
    let port: Int
  }

  /// Ends it, when the answers that are being made are made. None is sent any more: who waits for one learns that the
  /// connection is closed, and of a save under way not whether it was in time.
  func stop() { MHD_stop_daemon(daemon) }
}
