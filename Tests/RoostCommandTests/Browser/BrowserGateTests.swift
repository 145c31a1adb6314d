// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostCommandKit

/// Tests of access control in `roost browse`.
@Suite struct BrowserGateTests {
  private let gate = BrowserGate(token: "secret", port: 4711)

  private func status(_ change: (inout BrowserRequest) -> Void) -> Int {
    var request = BrowserRequest(path: "/secret/api/store", host: "127.0.0.1:4711")
    change(&request)
    do {
      _ = try gate.admit(request)
      return 200
    } catch {
      return error.status
    }
  }

  @Test("who knows the token is let in, by either name of this machine")
  func admitted() throws {
    #expect(status { _ in } == 200)
    #expect(status { $0.host = "localhost:4711" } == 200)
    #expect(status { $0.host = "LOCALHOST:4711" } == 200)
    let path = try gate.admit(
      BrowserRequest(path: "/secret/api/rows", host: "127.0.0.1:4711"))
    #expect(path == "api/rows")
  }

  @Test(
    "an address without the token is refused",
    arguments: ["/", "", "/api/store", "/secre/", "/secrets/", "/secret", "//secret/", "/SECRET/"])
  func token(path: String) {
    #expect(status { $0.path = path } == 403)
  }

  @Test(
    "another name of the machine is refused, as a page of another server would use it",
    arguments: [
      nil, "", "127.0.0.1", "127.0.0.1:80", "evil.example:4711", "evil.example",
      "127.0.0.1:4711.evil.example", "[::1]:4711",
    ] as [String?])
  func host(name: String?) {
    #expect(status { $0.host = name } == 403)
  }

  @Test("other methods than GET, HEAD and POST are refused")
  func methods() {
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", ""] {
      #expect(status { $0.method = method } == 405)
    }
    #expect(status { $0.method = "HEAD" } == 200)
  }

  @Test("only the page itself may write, and JSON alone")
  func writes() {
    func status(_ origin: String?, _ type: String?) -> Int {
      self.status {
        $0.method = "POST"
        $0.origin = origin
        $0.contentType = type
      }
    }
    #expect(status("http://127.0.0.1:4711", "application/json") == 200)
    #expect(status("http://127.0.0.1:4711", "application/json; charset=utf-8") == 200)
    #expect(status(nil, "application/json") == 403)
    #expect(status("null", "application/json") == 403)
    #expect(status("http://evil.example", "application/json") == 403)
    #expect(status("http://127.0.0.1:80", "application/json") == 403)
    #expect(status("https://127.0.0.1:4711", "application/json") == 403)
    // The page was opened by one host name, and sends requests to the other.
    #expect(status("http://localhost:4711", "application/json") == 403)
    // Content types that an HTML form of any page can send.
    #expect(status("http://127.0.0.1:4711", "text/plain") == 415)
    #expect(status("http://127.0.0.1:4711", nil) == 415)
  }

  @Test("tokens are long, differ, and stand in an address as they are")
  func tokens() {
    let tokens = Set((0..<100).map { _ in BrowserGate.makeToken() })
    #expect(tokens.count == 100)
    for token in tokens {
      #expect(token.utf8.count == 32)
      #expect(token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }
  }

  @Test("tokens are compared whole")
  func comparison() {
    #expect(BrowserGate.areEqual("abc", "abc"))
    for other in ["", "ab", "abcd", "abd", "bbc", "abcabc", "ABC"] {
      #expect(!BrowserGate.areEqual(other, "abc"))
    }
    #expect(!BrowserGate.areEqual("", "\u{FF}"))
  }
}
