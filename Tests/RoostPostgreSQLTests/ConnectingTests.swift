// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import Testing

@Suite("Connecting", .enabled(if: Servers.canBeStarted))
struct ConnectingTests {
  private static let canary = "canary-4711-secret"

  /// Checks that opening a store fails with a typed error that does not contain the password.
  private func refused(
    _ description: PersistentStoreDescription, _ code: PersistenceError.Code = .persistentStoreOpen,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: PersistenceError.self, sourceLocation: location) {
      _ = try Notebook(description)
    }
    #expect(error?.code == code, "\(String(describing: error))", sourceLocation: location)
    var shown = "\(description)" + (error.map { "\($0)\($0.detailedDescription)" } ?? "")
    dump(description, to: &shown)
    if let error { dump(error, to: &shown) }
    #expect(!shown.contains(Self.canary), sourceLocation: location)
  }

  @Test("a wrong password is refused, and not repeated")
  func wrongPassword() throws {
    let server = try #require(Servers.network)
    refused(Servers.networkDescription(port: server.port, password: Self.canary))
    refused(Servers.networkDescription(port: server.port, password: nil))
    refused(try .postgresql("postgresql://roost:\(Self.canary)@127.0.0.1:\(server.port)/roost"))
  }

  @Test("a host that nobody knows, a port where nobody listens, a database that is not there")
  func nobody() throws {
    let server = try #require(Servers.network)
    // A label of more than 63 letters fails without a DNS request.
    let host = String(repeating: "n", count: 64) + ".invalid"
    refused(Servers.networkDescription(port: 5432, password: Self.canary, host: host))
    refused(Servers.networkDescription(port: 1, password: Self.canary))
    refused(
      .postgresql(
        host: server.folder, port: server.port, database: "nowhere", user: "roost",
        password: Self.canary))
    refused(.postgresql(host: "/nonexistent", database: "roost", password: Self.canary))
    refused(PersistentStoreDescription(type: .postgresql))
    refused(PersistentStoreDescription(type: .postgresql, url: URL(string: "http://x/y")))
  }

  @Test("a server that accepts and is silent is given up at the deadline")
  func silent() throws {
    let wire = try Wire(to: 0) { _ in .hold }
    let description = Servers.networkDescription(
      port: wire.port, password: Self.canary, tls: .verifyFull, timeout: 3)
    refused(description, .persistentStoreTimeout)
    #expect(wire.connections == 1)
  }

  @Test("a server without TLS is refused when verification is asked for")
  func plainImpostor() throws {
    let wire = try Wire(to: 0) { _ in .forward }
    refused(
      Servers.networkDescription(port: wire.port, password: Self.canary, tls: .verifyFull))
  }

  @Test("a certificate signed by itself, or of another host, is refused; a trusted one is taken")
  func certificates() throws {
    let server = try #require(Servers.network)
    let certificate = server.folder + "/server.crt"
    try #require(FileManager.default.isReadableFile(atPath: certificate))
    func description(_ host: String, _ tls: PostgreSQLTLS) -> PersistentStoreDescription {
      Servers.networkDescription(
        port: server.port, password: server.password, host: host, tls: tls)
    }
    refused(description("localhost", .verifyFull))
    refused(description("127.0.0.1", .verifyFull(rootCertificate: certificate)))
    let notebook = try Notebook(
      description("localhost", .verifyFull(rootCertificate: certificate)))
    try notebook.write("a")
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
  }

  @Test("a user without rights is told so, and a user who needs none to make a schema gets none")
  func rights() throws {
    let server = try #require(Servers.network)
    let name = "u\(UUID().uuidString.replacing("-", with: "").lowercased())"
    try Servers.administer(
      server, "CREATE ROLE \(name) LOGIN", "CREATE SCHEMA given_\(name) AUTHORIZATION \(name)")
    func description(_ schema: String) throws -> PersistentStoreDescription {
      try .postgresql(
        server.uri.replacing("user=roost", with: "user=\(name)"), schema: schema)
    }
    refused(try description("made_\(name)"), .persistentStoreOperation)
    let notebook = try Notebook(description("given_\(name)"))
    try notebook.write("a")
    #expect(try notebook.codes() == ["a"])
    // Privileges that are revoked while the store is open.
    try Servers.administer(server, "REVOKE INSERT ON given_\(name).\"Note\" FROM \(name)")
    let error = #expect(throws: PersistenceError.self) { try notebook.write("b") }
    #expect(error?.code == .persistentStoreOperation)
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
  }

  @Test("a URL without a password is what a description, a store and a log show")
  func shown() throws {
    let server = try #require(Servers.network)
    let uri =
      "postgresql://roost:\(server.password)@127.0.0.1:\(server.port)/roost"
      + "?schema=shown&sslmode=disable"
    let description = try PersistentStoreDescription.postgresql(uri)
    #expect(
      description.url?.absoluteString
        == "postgresql://127.0.0.1:\(server.port)/roost?schema=shown")
    let byURL = PersistentStoreDescription(type: .postgresql, url: URL(string: uri))
    let notebook = try Notebook(byURL)
    var text = "\(notebook.store.description)\(notebook.store.url as Any)"
    dump(notebook.store.description, to: &text)
    dump(notebook.store, to: &text)
    #expect(!text.contains(server.password))
    try notebook.close()
    try description.type.driver.destroy(description)
  }
}
