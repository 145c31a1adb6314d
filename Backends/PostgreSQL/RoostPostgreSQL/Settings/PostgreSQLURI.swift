// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Reads and writes a server's URI: `postgresql://user:password@host:port/database?schema=name&sslmode=verify-full`.
///
/// Errors never repeat the text: in a malformed URI the password can be anywhere.
enum PostgreSQLURI {
  /// Reads a URI.
  ///
  /// - Throws: `persistentStoreOpen` for text that is not such a URI.
  static func settings(_ uri: String) throws -> PostgreSQLSettings {
    var rest = Substring(uri)
    guard let scheme = ["postgresql://", "postgres://"].first(where: { rest.hasPrefix($0) }) else {
      throw malformed("it does not begin with postgresql://")
    }
    rest = rest.dropFirst(scheme.count)
    guard !rest.contains("#") else { throw malformed("it has a fragment") }
    var settings = PostgreSQLSettings()
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    try readAuthority(place[0], into: &settings)
    if place.count > 1 { settings.database = try decoded(place[1]) }
    if parts.count > 1 { try readParameters(parts[1], into: &settings) }
    try settings.check()
    return settings
  }

  private static func readAuthority(
    _ text: Substring, into settings: inout PostgreSQLSettings
  ) throws {
    var host = text
    if let at = text.lastIndex(of: "@") {
      let login = text[..<at]
      // An unescaped `@` in a password would turn the rest of the password into the name of a host.
      guard !login.contains("@") else { throw malformed("an @ in the user or password is not %40") }
      let parts = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      settings.user = try decoded(parts[0])
      if parts.count > 1, !parts[1].isEmpty { settings.password = Secret(try decoded(parts[1])) }
      host = text[text.index(after: at)...]
    }
    var port: Substring?
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { throw malformed("an address has no ]") }
      let after = host[host.index(after: end)...]
      guard after.isEmpty || after.hasPrefix(":") else { throw malformed("its port is no number") }
      port = after.isEmpty ? nil : after.dropFirst()
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.firstIndex(of: ":") {
      port = host[host.index(after: colon)...]
      host = host[..<colon]
    }
    settings.host = try decoded(host)
    if let port, !port.isEmpty { settings.port = try number(port, "its port is no number") }
  }

  private static func readParameters(
    _ text: Substring, into settings: inout PostgreSQLSettings
  ) throws {
    var mode: String?
    var root: String?
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw malformed("a parameter has no value") }
      let value = try decoded(parts[1])
      switch try decoded(parts[0]) {
      case "schema": settings.schema = value
      case "pooler":
        guard let pooler = PostgreSQLPooler(rawValue: value) else {
          throw malformed("pooler is neither none nor transaction")
        }
        settings.pooler = pooler
      case "sslmode": mode = value
      case "sslrootcert": root = value
      case "sslcert": settings.certificate = value
      case "sslkey": settings.certificateKey = value
      case "passfile": settings.passwordFile = value
      case "application_name": settings.applicationName = value
      case "connect_timeout":
        let seconds = try number(Substring(value), "connect_timeout is no number")
        settings.connectTimeout = seconds > 0 ? Double(seconds) : nil
      case "host": settings.host = value
      case "port": settings.port = try number(Substring(value), "its port is no number")
      case "dbname": settings.database = value
      case "user": settings.user = value
      case "password": settings.password = Secret(value)
      default: throw malformed("it has a parameter that is not known")
      }
    }
    if let mode {
      guard let tls = PostgreSQLTLS(mode: mode, rootCertificatePath: root) else {
        throw malformed("sslmode is none of libpq's modes")
      }
      settings.tls = tls
    } else if let root {
      settings.tls = settings.tls.trusting(root)
    }
  }

  private static func decoded(_ text: some StringProtocol) throws -> String {
    guard !text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) else {
      throw malformed("a blank or control character in it is not escaped")
    }
    guard let result = String(text).removingPercentEncoding else {
      throw malformed("a % in it is not followed by two hexadecimal digits")
    }
    return result
  }

  private static func number(_ text: Substring, _ refusal: String) throws -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text)
    else { throw malformed(refusal) }
    return number
  }

  private static func malformed(_ reason: String) -> PersistenceError {
    PersistenceError(.persistentStoreOpen, "The server's URI cannot be read: \(reason).")
  }
}

// MARK: - Writing

extension PostgreSQLURI {
  /// Returns the URL of a store: the server, the database and the schema. The user and the password are no part of it.
  static func place(_ settings: PostgreSQLSettings) -> URL? {
    var text = "postgresql://"
    let host = settings.host
    var parameters: [String] = []
    if settings.isSocket {
      if !host.isEmpty { parameters.append("host=" + escaped(host)) }
      if let port = settings.port { parameters.append("port=\(port)") }
    } else {
      text += host.contains(":") ? "[\(host)]" : escaped(host)
      if let port = settings.port { text += ":\(port)" }
    }
    text += "/" + escaped(settings.database)
    parameters.append("schema=" + escaped(settings.schema))
    return URL(string: text + "?" + parameters.joined(separator: "&"))
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return result
  }
}
