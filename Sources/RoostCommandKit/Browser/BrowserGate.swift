// SPDX-License-Identifier: Apache-2.0

/// The access check of requests: the token, a host name of this machine, and for writes the origin of the page
/// itself.
///
/// Any page that is open in the web browser can send requests to a port of this machine, and so can any local
/// program. The token keeps both out. A DNS name of an attacker that resolves to this machine would give a foreign
/// page the same origin (DNS rebinding); so the host name is checked as well.
struct BrowserGate: Sendable {
  /// A random word of characters that need no escapes in a URI.
  let token: String
  let port: Int

  /// Returns a random token of 192 bits.
  static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
    return String((0..<32).map { _ in digits[Int(generator.next(upperBound: UInt64(64)))] })
  }

  /// Where the page is.
  var address: String { "http://127.0.0.1:\(port)/\(token)/" }

  private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }

  /// Admits a request.
  ///
  /// - Returns: The path after the token, such as `api/rows`; empty for the page.
  /// - Throws: ``BrowserFault`` with 403, 405 or 415.
  func admit(_ request: BrowserRequest) throws(BrowserFault) -> String {
    guard let host = request.host?.lowercased(), hosts.contains(host) else {
      throw BrowserFault(403, "The server is asked by the name 127.0.0.1 or localhost only.")
    }
    guard request.path.hasPrefix("/") else { throw BrowserFault(403, Self.refusal) }
    let parts = request.path.dropFirst().split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let word = parts.first, Self.areEqual(String(word), token), parts.count == 2 else {
      throw BrowserFault(403, Self.refusal)
    }
    switch request.method {
    case "GET", "HEAD": break
    case "POST": try admitWrite(request, host)
    default: throw BrowserFault(405, "\(request.method) is not understood.")
    }
    return String(parts[1])
  }

  private static let refusal =
    "The address does not have the token: take the one that “roost browse” printed."

  private func admitWrite(_ request: BrowserRequest, _ host: String) throws(BrowserFault) {
    guard request.origin?.lowercased() == "http://\(host)" else {
      throw BrowserFault(403, "Only the page of this server may write.")
    }
    let type = request.contentType?.lowercased().split(separator: ";").first.map(String.init)
    guard type?.trimmed == "application/json" else {
      throw BrowserFault(415, "What is written is JSON.")
    }
  }

  /// Compares in constant time, so that the duration does not tell the number of correct characters.
  static func areEqual(_ left: String, _ right: String) -> Bool {
    let (given, wanted) = (Array(left.utf8), Array(right.utf8))
    var difference = given.count ^ wanted.count
    for (index, byte) in wanted.enumerated() {
      difference |= Int(byte ^ (index < given.count ? given[index] : ~byte))
    }
    return difference == 0
  }
}
