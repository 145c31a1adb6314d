// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Foundation
import Synchronization

/// The callbacks of libmicrohttpd for the parts of a request.
final class RequestHandler: Sendable {
  typealias Refusal = @Sendable (_ request: BrowserRequest, _ port: Int) -> BrowserAnswer?
  typealias Answer = @Sendable (_ request: BrowserRequest, _ port: Int) -> BrowserAnswer

  private let refusal: Refusal
  private let answer: Answer
  /// The timeout of an admitted request, in seconds.
  private static let patience: UInt32 = 600
  /// The port, once it is known.
  let port = Atomic<Int>(0)

  /// The received part of a request.
  private final class Incoming {
    var body = Data()
    /// The response that rejects the request after it was received completely; its body is dropped until then.
    var refusal: BrowserAnswer?

    init(refusal: BrowserAnswer?) {
      self.refusal = refusal
    }
  }

  init(_ refusal: @escaping Refusal, _ answer: @escaping Answer) {
    self.refusal = refusal
    self.answer = answer
  }

  static func of(_ owner: UnsafeMutableRawPointer?) -> RequestHandler {
    guard let owner else { preconditionFailure("libmicrohttpd returns the pointer it was given.") }
    return Unmanaged<RequestHandler>.fromOpaque(owner).takeUnretainedValue()
  }

  /// Called once with the headers, then with each part of the body, and at last without bytes.
  func handle(
    _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ bytes: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> MHD_Result {
    guard let connection, let path, let method, let count, let slot else { return roost_http_no }
    guard let known = slot.pointee else {
      let refusal = refusal(
        request(connection, path, method, Data()), port.load(ordering: .acquiring))
      if refusal == nil { roost_http_wait(connection, Self.patience) }
      slot.pointee = Unmanaged.passRetained(Incoming(refusal: refusal)).toOpaque()
      return roost_http_yes
    }
    let incoming = Unmanaged<Incoming>.fromOpaque(known).takeUnretainedValue()
    if count.pointee > 0, let bytes {
      if incoming.refusal == nil {
        if incoming.body.count + count.pointee > StoreBrowser.largestBody {
          incoming.refusal = BrowserFault(413, "The request is too large.").answer
          incoming.body = Data()
        } else {
          incoming.body.append(
            contentsOf: UnsafeRawBufferPointer(start: bytes, count: count.pointee))
        }
      }
      count.pointee = 0
      return roost_http_yes
    }
    let result =
      incoming.refusal
      ?? answer(
        request(connection, path, method, incoming.body), port.load(ordering: .acquiring))
    return Self.send(result, to: connection)
  }

  /// Called when the request has ended, in whatever way.
  func end(_ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) {
    guard let known = slot?.pointee else { return }
    Unmanaged<Incoming>.fromOpaque(known).release()
    slot?.pointee = nil
  }

  private func request(
    _ connection: OpaquePointer, _ path: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
    _ body: Data
  ) -> BrowserRequest {
    func header(_ name: String) -> String? {
      MHD_lookup_connection_value(connection, roost_http_header, name).map { String(cString: $0) }
    }
    var request = BrowserRequest(
      method: String(cString: method), path: String(cString: path), host: header("Host"),
      origin: header("Origin"), contentType: header("Content-Type"), body: body)
    withUnsafeMutablePointer(to: &request.query) { query in
      _ = MHD_get_connection_values(
        connection, roost_http_argument,
        { query, _, name, value in
          guard let query, let name else { return roost_http_yes }
          query.assumingMemoryBound(to: [String: String].self)
            .pointee[String(cString: name)] = value.map { String(cString: $0) } ?? ""
          return roost_http_yes
        }, query)
    }
    return request
  }

  private static func send(_ answer: BrowserAnswer, to connection: OpaquePointer) -> MHD_Result {
    let response = answer.body.withUnsafeBytes { roost_http_response($0.baseAddress, $0.count) }
    guard let response else { return roost_http_no }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers { _ = MHD_add_response_header(response, name, value) }
    return MHD_queue_response(connection, UInt32(answer.status), response)
  }
}
