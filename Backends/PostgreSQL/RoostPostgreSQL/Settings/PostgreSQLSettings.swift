// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel

/// Which server, which database, who asks, and which schema of the database is the store.
struct PostgreSQLSettings: Sendable, Hashable {
  /// The name or address of the host, or the folder of a socket; empty for libpq's own choice.
  var host = ""
  /// The address that stands for the host whatever its name is, as libpq's environment can say; empty for none.
  var hostAddress = ""
  /// The port; nil for libpq's own choice.
  var port: Int?
  var database = ""
  /// Who logs in; empty for libpq's own choice.
  var user = ""
  /// nil for libpq's own choice: `PGPASSWORD`, or the file of passwords.
  var password: Secret?
  /// The schema of the database that is the store.
  var schema = Self.defaultSchema
  /// Whether sessions are shared with other clients.
  var pooler = PostgreSQLPooler.none
  var tls = PostgreSQLTLS.automatic
  /// The files of the client's own certificate and key.
  var certificate: String?
  var certificateKey: String?
  /// The file of passwords.
  var passwordFile: String?
  var applicationName = "Roost"
  /// How long a connection may take to be made, in seconds; nil for the default.
  var connectTimeout: Double?

  static let defaultSchema = "roost"

  /// The schema that is the store, as statements name it.
  var namespace: PostgreSQLNamespace { PostgreSQLNamespace(schema: schema) }

  /// Whether the host is this machine: nobody is in between.
  var isLocal: Bool {
    let place = hostAddress.isEmpty ? host : hostAddress
    return isSocket || place == "localhost" || place == "::1"
      || (place.hasPrefix("127.") && Self.isAddress(place))
  }

  /// Whether the host is the folder of a socket.
  var isSocket: Bool {
    hostAddress.isEmpty && (host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@"))
  }

  /// The settings with the host that libpq would take from its environment, so that it is known where a connection
  /// goes. An address there counts for hosts that have none of their own: libpq lets it go before a socket.
  func completed(by defaults: LibpqDefaults) -> PostgreSQLSettings {
    var result = self
    if host.isEmpty { result.host = defaults.host }
    if host.isEmpty || isSocket { result.hostAddress = defaults.hostAddress }
    return result
  }

  /// Whether a host is an address, which needs no name to be looked up.
  static func isAddress(_ host: String) -> Bool {
    host.contains(":")
      || host.split(separator: ".", omittingEmptySubsequences: false).count == 4
        && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
  }

  /// Checks what no server can be asked.
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
    // A longer name would be cut off by the server, and could then be another store's.
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
  /// The settings as libpq takes them, by its keywords. Nothing is ever made into one string: libpq repeats parts of a
  /// string that it cannot read in its errors.
  ///
  /// - Parameters:
  ///   - address: What the host's name was found to mean; nil when it is an address or a socket.
  ///   - silence: How long the other side may leave sent data unconfirmed, in seconds.
  func keywords(address: String? = nil, silence: Double) -> [(keyword: String, value: String)] {
    var result: [(keyword: String, value: String)] = []
    func add(_ keyword: String, _ value: String?) {
      if let value, !value.isEmpty { result.append((keyword, value)) }
    }
    add("host", host)
    // Said always, or libpq would take another one from its environment.
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
    // Encryption by Kerberos would take the place of TLS, and of its verification.
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

  /// The certificates that the system trusts; nil when the user has a file of their own where libpq looks for it.
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
