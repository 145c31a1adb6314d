// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import Synchronization
import Testing

@testable import RoostPostgreSQL

@Suite("Servers that are starting up")
struct StartingServerTests {
  /// The localized error of a server that is still starting.
  private static let refusal: [UInt8] = {
    let fields = "SFATAL\0VFATAL\0C57P03\0Mdas Datenbanksystem startet\0\0"
    let length = UInt32(fields.utf8.count + 4)
    return [UInt8(ascii: "E")] + withUnsafeBytes(of: length.bigEndian) { Array($0) }
      + Array(fields.utf8)
  }()

  @Test(
    "a server that is starting up is waited for, whatever language it speaks (F20)",
    .enabled(if: Servers.canBeStarted))
  func waiting() throws {
    let server = try #require(Servers.network)
    let wire = try Wire(to: server.port)
    let refusals = Mutex(3)
    wire.setJudge { bytes in
      guard bytes.has("application_name") else { return .forward }
      return refusals.withLock { left in
        left -= 1
        return left >= 0 ? .answer(Self.refusal) : .forward
      }
    }
    let notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password))
    #expect(wire.connections == 4)
    try notebook.write("a")
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
  }

  @Test(
    "a server that does not become ready is tried until the time is over, and told as such (F20)")
  func never() throws {
    let wire = try Wire(to: 0) { _ in .answer(Self.refusal) }
    let description = Servers.networkDescription(port: wire.port, password: "canary", timeout: 0.5)
    let error = #expect(throws: PersistenceError.self) { _ = try Notebook(description) }
    #expect(error?.code == .persistentStoreTimeout)
    #expect(error?.message.contains("das Datenbanksystem startet") == true)
    #expect(error.map { "\($0)".contains("canary") } == false)
    #expect(wire.connections > 1)
  }

  @Test("what else a server refuses is an error at once, without the code that libpq shows")
  func others() throws {
    let answer = String(decoding: Self.refusal, as: UTF8.self).replacing("57P03", with: "53300")
    let wire = try Wire(to: 0) { _ in .answer(Array(answer.utf8)) }
    let description = Servers.networkDescription(port: wire.port, password: nil)
    let error = #expect(throws: PersistenceError.self) { _ = try Notebook(description) }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains("53300") == false)
    #expect(wire.connections == 1)
  }

  @Test("a code is read where libpq puts it, and nowhere else")
  func codes() {
    let text =
      "connection to server at \"::1\", port 5432 failed: FATAL:  57P03:  the server starts\n"
      + "LOCATION:  ProcessStartupPacket, postmaster.c:2392\n"
    let refusal = ConnectionRefusal(text)
    #expect(refusal.code == "57P03" && refusal.isStarting)
    #expect(!refusal.message.contains("57P03") && !refusal.message.contains("LOCATION"))
    #expect(ConnectionRefusal("FATAL:  role \"57P03\" does not exist").code == nil)
    #expect(ConnectionRefusal("").code == nil)
  }

  @Test("what libpq refuses itself passes when it is of the network, and not of the client (H34)")
  func passing() {
    let tcp = "connection to server at \"::1\", port 5432 failed: "
    let socket = "connection to server on socket \"/run/.s.PGSQL.5432\" failed: "
    let hint = "\n\tIs the server running on that host and accepting TCP/IP connections?\n"
    let network = [
      tcp + "Connection refused" + hint, socket + "No such file or directory" + hint,
      "could not connect to server: Connection timed out" + hint, "timeout expired\n",
      "could not translate host name \"db\" to address: Name or service not known\n",
      tcp + "server closed the connection unexpectedly\n\tThis probably means the server\n",
      tcp + "could not receive data from server: Connection reset by peer\n",
      tcp + "FATAL:  57P03:  the server starts\n", "",
    ]
    for text in network { #expect(ConnectionRefusal(text).mayPass, "\(text)") }
    let client = [
      tcp + "fe_sendauth: no password supplied\n",
      tcp + "Connection refused" + hint + tcp + "fe_sendauth: no password supplied\n",
      tcp + "server does not support SSL, but SSL was required\n",
      tcp + "SSL error: certificate verify failed\n",
      tcp + "could not read root certificate file \"ca.pem\": No such file or directory\n",
      socket + "Permission denied\n", "invalid sslmode value: \"perhaps\"\n",
      tcp + "FATAL:  28P01:  password authentication failed\n",
    ]
    for text in client { #expect(!ConnectionRefusal(text).mayPass, "\(text)") }
  }

  @Test(
    "a server that asks for a password, or has a certificate that is not trusted, is reached (H34)",
    .enabled(if: Servers.canBeStarted))
  func refusedClients() throws {
    let server = try PrivatePostgreSQL(network: true)
    func error(_ password: String?, _ tls: PostgreSQLTLS) -> PersistenceError? {
      #expect(throws: PersistenceError.self) {
        _ = try Notebook(
          Servers.networkDescription(port: server.port, password: password, tls: tls))
      }
    }
    let refused = [error(nil, .plaintext), error(server.password, .verifyFull)]
    for error in refused {
      #expect(error?.code == .persistentStoreOpen, "\(error?.message ?? "")")
      #expect(error?.isUnreachable == false, "\(error?.message ?? "")")
    }
    server.stop()
    #expect(error(server.password, .plaintext)?.isUnreachable == true)
  }
}
