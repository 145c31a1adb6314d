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
    // After a server's refusal, the next address is not tried.
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

@Suite("Round trips of opening", .enabled(if: Servers.isThere))
struct OpeningRoundTripTests {
  /// Returns the number of round trips of a store's only connection.
  private func roundTrips(_ notebook: Notebook) throws -> Int {
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    #expect(pool.connectionCount == 1)
    return try pool.withConnection { $0.roundTrips }
  }

  @Test("a store that is as it was is opened in one round trip, and its first fetch is the second")
  func unchanged() throws {
    let notebook = try Notebook()
    try notebook.write("a")
    let description = notebook.store.description
    try notebook.close()
    let again = try Notebook(description)
    #expect(try roundTrips(again) == 1)
    #expect(try again.codes() == ["a"])
    #expect(try roundTrips(again) == 2)
    try again.close()
  }

  @Test("a store that is only read is opened in one round trip")
  func readOnly() throws {
    let notebook = try Notebook()
    try notebook.write("a")
    var description = notebook.store.description
    try notebook.close()
    description.isReadOnly = true
    let again = try Notebook(description)
    #expect(try roundTrips(again) == 1)
    #expect(try again.codes() == ["a"])
    try again.close()
  }

  @Test("an index that somebody has dropped is there again after opening")
  func droppedIndex() throws {
    let notebook = try Notebook()
    let description = notebook.store.description
    let schema = try #require(description.url?.query()?.split(separator: "=").last)
    try notebook.close()
    let raw = try RawSession(try #require(Servers.uri))
    try raw.run(["DROP INDEX \"\(schema)\".\"Note_unique_code\""])
    try Notebook(description).close()
    let indexes = try raw.rows(
      "SELECT indexname FROM pg_indexes WHERE schemaname = '\(schema)' AND tablename = 'Note'")
    #expect(indexes.contains("Note_unique_code"), "\(indexes)")
  }

  @Test("a connection whose server has changed its mind about the schema is refused as before")
  func emptySchema() throws {
    let notebook = try Notebook()
    let description = notebook.store.description
    try notebook.close()
    try description.type.driver.destroy(description)
    var readOnly = description
    readOnly.isReadOnly = true
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) { _ = try Notebook(readOnly) }
    let again = try Notebook(description)
    #expect(try again.codes().isEmpty)
    try again.close()
  }

  @Test("tokens that are a million transactions old go when a connection saves for the first time")
  func oldTokens() throws {
    let notebook = try Notebook()
    let description = notebook.store.description
    let schema = try #require(description.url?.query()?.split(separator: "=").last)
    let raw = try RawSession(try #require(Servers.uri))
    let table = "\"\(schema)\"._roost_commits"
    let old = UUID().uuidString.lowercased()
    let recent = UUID().uuidString.lowercased()
    try raw.run([
      "INSERT INTO \(table) (token, transaction) VALUES ('\(old)', -2000000)",
      "INSERT INTO \(table) (token) VALUES ('\(recent)')",
    ])
    try notebook.write("a")
    let tokens = try raw.rows("SELECT token FROM \(table)")
    #expect(!tokens.contains(old))
    #expect(tokens.contains(recent))
    #expect(tokens.count == 2)
    try notebook.close()
  }
}
