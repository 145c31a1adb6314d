// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostStore
import Testing

@testable import RoostPostgreSQL

@Suite("Deadlines of connections", .enabled(if: Servers.isThere))
struct OpeningTests {
  @Test("the server gives up waiting for a lock before it counts as silent")
  func lockTimeout() throws {
    let settings = try PostgreSQLURI.settings(try #require(Servers.uri))
    let pool = ConnectionPool(settings, timeout: 5, limit: 1, isReadOnly: false)
    try pool.withConnection { connection in
      let query = "SELECT setting::bigint FROM pg_settings WHERE name = 'lock_timeout'"
      let milliseconds = try connection.run(.once(query)).integer()
      #expect((1..<4500).contains(milliseconds))
    }
    pool.close()
  }

  @Test("what somebody else holds is a busy store, and the connection goes on")
  func busy() throws {
    var description = try Servers.description()
    description.options[StoreOption.connectionPoolMaxSize] = .integer(1)
    let notebook = try Notebook(description)
    try notebook.write("a")
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    try pool.withConnection { _ = try $0.run(.once("SET lock_timeout = 50")) }
    let schema = try #require(notebook.store.url?.query()?.split(separator: "=").last)
    let other = try RawSession(try #require(Servers.uri))
    try other.run(["BEGIN", "LOCK TABLE \"\(schema)\".\"Note\" IN EXCLUSIVE MODE"])
    #expect(throws: PersistenceError(.storeBusy, "")) { try notebook.write("b") }
    try other.run(["COMMIT"])
    try notebook.write("b")
    #expect(try notebook.codes() == ["a", "b"])
    #expect(pool.connectionCount == 1)
    try notebook.close()
  }

  #if os(Linux)
  @Test(
    "an address from which nothing comes back leaves the others their share of the time",
    .enabled(if: Servers.canBeStarted))
  func silentAddress() throws {
    let server = try #require(Servers.network)
    let wire = try Wire(to: 0, at: 0x7F00_0002, port: server.port) { _ in .hold }
    var settings = PostgreSQLSettings()
    settings.host = "localhost"
    settings.port = server.port
    settings.database = "roost"
    settings.user = "roost"
    settings.password = Secret(server.password)
    settings.tls = .plaintext
    let connection = try PostgreSQLConnection.connect(
      settings, addresses: ["127.0.0.2", "127.0.0.1"], timeout: 30, deadline: Deadline(after: 10))
    #expect(try connection.run(PostgreSQLCommand("SELECT 7::bigint")).integer() == 7)
    #expect(wire.connections == 1)
    // What a server has refused, the next address is not asked.
    settings.password = Secret("wrong")
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      _ = try PostgreSQLConnection.connect(
        settings, addresses: ["127.0.0.1", "127.0.0.2"], timeout: 30,
        deadline: Deadline(after: 60))
    }
    #expect(wire.connections == 1)
  }
  #endif
}
