// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An HTTP request to the store browser, as a value.
struct BrowserRequest: Sendable {
  var method = "GET"
  /// The path with the token, without the query; its escapes are decoded.
  var path: String
  /// The query parameters.
  var query: [String: String] = [:]
  /// The `Host` header: the name by which the web browser addresses the server.
  var host: String?
  /// The `Origin` header: the page that sent the request.
  var origin: String?
  var contentType: String?
  var body = Data()
}

/// An HTTP response of the store browser.
struct BrowserAnswer: Sendable {
  var status = 200
  var contentType: String
  /// The content security policy of the response.
  var policy = "default-src 'none'; frame-ancestors 'none'"
  var body: Data
  /// The identifier of the response's store; nil for none.
  var store: String?

  /// JSON.
  init(status: Int = 200, _ node: OutputNode) {
    self.status = status
    contentType = "application/json; charset=utf-8"
    body = Data(node.line.utf8)
  }

  init(contentType: String, policy: String, _ text: String) {
    self.contentType = contentType
    self.policy = policy
    body = Data(text.utf8)
  }

  /// The headers that each answer has.
  var headers: [(name: String, value: String)] {
    [
      ("Content-Type", contentType),
      ("Content-Security-Policy", policy),
      // The values of a store are left in no cache, and its token in the log of no other server.
      ("Cache-Control", "no-store"),
      ("Referrer-Policy", "no-referrer"),
      ("X-Content-Type-Options", "nosniff"),
      ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ] + (store.map { [("Roost-Store", $0)] } ?? [])
  }
}
