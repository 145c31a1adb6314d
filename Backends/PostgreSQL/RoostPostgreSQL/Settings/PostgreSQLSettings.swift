// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel

/// The connection settings of a store: the server, the database, the user, and the schema that is the store.
struct PostgreSQLSettings: Sendable, Hashable {
  /// The name or address of the host, or the folder of a socket; empty for libpq's default.
  var host = ""
  /// The address to use instead of the host's name, as libpq's environment can set it; empty for none.
  var hostAddress = ""
  /// The port; nil for libpq's default.
  var port: Int?
  var database = ""
  /// The user name; empty for libpq's default.
  var user = ""
  /// The password; nil for libpq's own sources: `PGPASSWORD`, or the password file.
  var password: Secret?
  /// The schema of the database that is the store.
  var schema = Self.defaultSchema
  /// Whether sessions are shared with other clients.
  var pooler = PostgreSQLPooler.none
  var tls = PostgreSQLTLS.automatic
  /// The files of the client certificate and its key.
  var certificate: String?
  var certificateKey: String?
  /// The password file.
  var passwordFile: String?
  var applicationName = "Roost"
  /// The connection time-out in seconds; nil for the default.
  var connectTimeout: Double?

  static let defaultSchema = "roost"

  /// The namespace of the schema that is the store.
  var namespace: PostgreSQLNamespace { PostgreSQLNamespace(schema: schema) }

  /// Whether the host is this machine, so that no network is in between.
  var isLocal: Bool {
    let place = hostAddress.isEmpty ? host : hostAddress
    return isSocket || place == "localhost" || place == "::1"
      || (place.hasPrefix("127.") && Self.isAddress(place))
  }

  /// Whether the host is the folder of a socket.
  var isSocket: Bool {
    hostAddress.isEmpty && (host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@"))
  }

  /// Returns the settings with the host that libpq would take from its environment, so that the destination of a
  /// connection is known. An address in the environment applies only where the settings have no host, or a socket as
  /// the host: libpq prefers it to a socket.
  func completed(by defaults: LibpqDefaults) -> PostgreSQLSettings {
    var result = self
    if host.isEmpty { result.host = defaults.host }
    if host.isEmpty || isSocket { result.hostAddress = defaults.hostAddress }
    return result
  }

  /// Returns whether a host is an IP address, which needs no look-up.
  static func isAddress(_ host: String) -> Bool {
    host.contains(":")
      || host.split(separator: ".", omittingEmptySubsequences: false).count == 4
        && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
  }

  /// Checks the settings that no server can check.
  ///
  /// - Throws: `persistentStoreOpen`.
  func check() throws {
    let texts = [host, hostAddress, database, user, password?.text ?? "", schema, applicationName]
    guard !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw PersistenceError(.persistentStoreOpen, "A connection setting contains a NUL character.")
    }
    guard !host.contains(","), !hostAddress.contains(",") else {
      throw PersistenceError(.persistentStoreOpen, "A store is on one server.")
    }
    if let port, !(1...65_535).contains(port) {
      throw PersistenceError(.persistentStoreOpen, "A port is a number from 1 to 65535.")
    }
    // The server would truncate a longer name, which could then be another store's.
    guard (1...63).contains(schema.utf8.count), !schema.hasPrefix("pg_"),
      schema != "information_schema"
    else {
      throw PersistenceError(
        .persistentStoreOpen,
        "The name of a schema has 1 to 63 bytes and is none of the system's own.")
    }
  }
}

// MARK: - For libpq

extension PostgreSQLSettings {
  /// Returns the settings by libpq's keywords. They are never joined into a connection string: libpq's errors repeat
  /// parts of a string that it cannot parse.
  ///
  /// - Parameters:
  ///   - address: The address that the host's name was resolved to; nil when the host is an address or a socket.
  ///   - silence: How long sent data may stay unacknowledged, in seconds.
  func keywords(address: String? = nil, silence: Double) -> [(keyword: String, value: String)] {
    var result: [(keyword: String, value: String)] = []
    func add(_ keyword: String, _ value: String?) {
      if let value, !value.isEmpty { result.append((keyword, value)) }
    }
    add("host", host)
    // Always set, or libpq would take another one from its environment.
    add("hostaddr", address ?? (Self.isAddress(host) ? host : hostAddress))
    add("port", port.map(String.init))
    add("dbname", database)
    add("user", user)
    add("password", password?.text)
    add("passfile", passwordFile)
    add("sslcert", certificate)
    add("sslkey", certificateKey)
    add("application_name", applicationName)
    add("client_encoding", "UTF8")
    // GSSAPI encryption would replace TLS and its verification.
    add("gssencmode", "disable")
    addProtection(add)
    if !isSocket {
      let milliseconds = Int(min(max(silence, 1) * 1000, 2_000_000_000))
      add("tcp_user_timeout", String(milliseconds))
      add("keepalives", "1")
      add("keepalives_idle", "30")
      add("keepalives_interval", "10")
      add("keepalives_count", "3")
    }
    return result
  }

  private func addProtection(_ add: (String, String?) -> Void) {
    let mode = tls.mode.isEmpty ? (isLocal ? "prefer" : "verify-full") : tls.mode
    add("sslmode", mode)
    add("ssl_min_protocol_version", "TLSv1.2")
    guard mode.hasPrefix("verify") else {
      add("sslrootcert", tls.rootCertificate)
      return
    }
    add("sslrootcert", tls.rootCertificate ?? Self.systemRootCertificates())
  }

  /// The root certificates of the system; nil when the user has a file of their own at libpq's default path.
  private static func systemRootCertificates() -> String? {
    let own = FileManager.default.homeDirectoryForCurrentUser
      .appending(path: ".postgresql/root.crt").path
    let files = FileManager.default
    if files.fileExists(atPath: own) { return nil }
    if PQlibVersion() >= 160_000 { return "system" }
    let bundles = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
      "/etc/ssl/ca-bundle.pem",
    ]
    return bundles.first { files.fileExists(atPath: $0) }
  }
}
