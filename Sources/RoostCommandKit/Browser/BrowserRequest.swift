// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a web browser asks of the store browser: a request of HTTP as a value.
struct BrowserRequest: Sendable {
  var method = "GET"
  /// The path with the token, without what follows a question mark; its escapes are resolved.
  var path: String
  /// What follows the question mark.
  var query: [String: String] = [:]
  /// The header `Host`: what the web browser takes the server for.
  var host: String?
  /// The header `Origin`: the page that sent the request.
  var origin: String?
  var contentType: String?
  var body = Data()
}

/// What the store browser answers.
struct BrowserAnswer: Sendable {
  var status = 200
  var contentType: String
  /// What the page may load and do, in the words of a content security policy.
  var policy = "default-src 'none'; frame-ancestors 'none'"
  var body: Data
  /// The identifier of the store that the answer is of; nil for one of none.
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
