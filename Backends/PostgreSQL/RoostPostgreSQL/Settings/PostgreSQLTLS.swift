// SPDX-License-Identifier: Apache-2.0

/// The TLS mode of a connection to a PostgreSQL server.
///
/// ```swift
/// let store = PersistentStoreDescription.postgresql(
///   host: "db.example.com", database: "hr", user: "app", password: password,
///   tls: .verifyFull(rootCertificate: "/etc/hr/root.crt"))
/// ```
public struct PostgreSQLTLS: Sendable, Hashable {
  /// libpq's name of the mode (`sslmode`).
  let mode: String
  /// The file of the trusted certificates; nil for the system's.
  let rootCertificate: String?

  private init(mode: String, rootCertificate: String? = nil) {
    self.mode = mode
    self.rootCertificate = rootCertificate
  }

  /// Full verification for every remote host; for this machine, whatever the server offers.
  public static let automatic = PostgreSQLTLS(mode: "")

  /// The server's certificate is signed by a trusted authority and names the requested host.
  public static let verifyFull = PostgreSQLTLS(mode: "verify-full")

  /// The server's certificate is signed by an authority of a file and names the requested host.
  ///
  /// - Parameter rootCertificate: The path of the file with the trusted certificates.
  /// - Returns: The protection.
  public static func verifyFull(rootCertificate: String) -> PostgreSQLTLS {
    PostgreSQLTLS(mode: "verify-full", rootCertificate: rootCertificate)
  }

  /// The server's certificate is signed by a trusted authority; the owner of another certificate of that authority can
  /// pose as the server.
  ///
  /// - Parameter rootCertificate: The path of the file with the trusted certificates; nil for the system's.
  /// - Returns: The protection.
  public static func verifyAuthority(rootCertificate: String? = nil) -> PostgreSQLTLS {
    PostgreSQLTLS(mode: "verify-ca", rootCertificate: rootCertificate)
  }

  /// Encrypted, but the server is not verified: an attacker in between can pose as it and read the password.
  public static let encryptedWithoutVerification = PostgreSQLTLS(mode: "require")

  /// Not encrypted: an attacker in between can read and change everything.
  public static let plaintext = PostgreSQLTLS(mode: "disable")

  /// The mode with a libpq name; nil when there is no such mode.
  init?(mode: String, rootCertificatePath: String?) {
    guard ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"].contains(mode)
    else {
      return nil
    }
    self.init(mode: mode, rootCertificate: rootCertificatePath)
  }

  /// Returns the mode with another file of trusted certificates.
  func trusting(_ path: String) -> PostgreSQLTLS {
    PostgreSQLTLS(mode: mode, rootCertificate: path)
  }
}
