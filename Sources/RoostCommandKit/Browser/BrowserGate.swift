// SPDX-License-Identifier: Apache-2.0

/// Who may ask: those who know the token, by a name of this machine, and to write from the page itself alone.
///
/// Any page that is open in the web browser can send requests to a port of this machine, and any program of it too. The
/// token keeps both out. An attacker's name that is made to point to this machine would give a page of another server
/// the same origin; so the name is checked as well.
struct BrowserGate: Sendable {
  /// A random word, without what a URI would escape.
  let token: String
  let port: Int

  /// A token that nobody guesses: 192 bits.
  static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
    return String((0..<32).map { _ in digits[Int(generator.next(upperBound: UInt64(64)))] })
  }

  /// Where the page is.
  var address: String { "http://127.0.0.1:\(port)/\(token)/" }

  private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }

  /// Lets a request in.
  ///
  /// - Returns: The path behind the token, as `api/rows`; empty for the page.
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

  /// Compares in a time that does not tell how many characters are right.
  static func areEqual(_ left: String, _ right: String) -> Bool {
    let (given, wanted) = (Array(left.utf8), Array(right.utf8))
    var difference = given.count ^ wanted.count
    for (index, byte) in wanted.enumerated() {
      difference |= Int(byte ^ (index < given.count ? given[index] : ~byte))
    }
    return difference == 0
  }
}
