// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostPostgreSQL

@Suite(
  "Poolers between the program and the server", .enabled(if: PooledPostgreSQL.shared != nil),
  .serialized)
struct PoolerTests {
  private let pooled: PooledPostgreSQL

  init() throws {
    pooled = try #require(PooledPostgreSQL.shared)
  }

  private func description(
    _ uri: String? = nil, schema: String = "test_\(UUID().uuidString)",
    pooler: PostgreSQLPooler = .transaction
  ) throws -> PersistentStoreDescription {
    try .postgresql(uri ?? pooled.transactionURI, schema: schema, pooler: pooler)
  }

  private func server(_ statement: String) throws -> [String] {
    try RawSession(pooled.serverURI).rows(statement)
  }

  /// Runs statements in every server session of the pooler, as another client would: each session is held while the
  /// next one is requested.
  private func leave(_ statements: [String]) throws {
    let clients = try (0..<2).map { _ in try RawSession(pooled.transactionURI) }
    for client in clients { try client.run(["BEGIN"] + statements) }
    for client in clients { try client.run(["COMMIT"]) }
  }

  @Test("programs that share sessions neither read nor write each other's records (B366)")
  func tenants() throws {
    let tenants = ["a", "b"].map { "tenant_\($0)_\(UUID().uuidString)" }
    let saved = Mutex([0, 0])
    let notebooks = try tenants.map { try Notebook(description(schema: $0)) }
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      let notebook = notebooks[number % 2]
      let name = tenants[number % 2]
      for round in 0..<15 {
        do {
          // Every fifth save is one that copies its records, the others are statements.
          let count = round % 5 == 4 ? 70 : 2
          let context = notebook.context()
          for index in 0..<count {
            Note(context: context).code = "\(name)/\(number)/\(round)/\(index)"
          }
          try context.save()
          saved.withLock { $0[number % 2] += count }
          let codes = try notebook.codes()
          #expect(codes.allSatisfy { $0.hasPrefix(name) })
          #expect(codes.contains("\(name)/\(number)/\(round)/1"))
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    for (index, name) in tenants.enumerated() {
      let table = "\"\(name)\".\"Note\""
      let count = saved.withLock { $0[index] }
      #expect(try server("SELECT count(*) FROM \(table)") == ["\(count)"])
      #expect(try server("SELECT code FROM \(table) WHERE code NOT LIKE '\(name)/%'") == [])
    }
    for notebook in notebooks { try notebook.close() }
  }

  @Test(
    "a pooler in transaction mode that was not declared is refused, and its sessions are left alone (B366)"
  )
  func undeclared() throws {
    try leave(["SET search_path = elsewhere"])
    let schema = "test_\(UUID().uuidString)"
    let store = try Notebook(description(schema: schema))
    let description = try description(schema: schema, pooler: .none)
    func refused(_ body: () throws -> Void) {
      let error = #expect(throws: PersistenceError.self) { try body() }
      #expect(error?.code == .persistentStoreOpen)
      #expect(error?.message.contains("`pooler: .transaction`") == true)
    }
    refused { _ = try Notebook(description) }
    refused { _ = try description.type.driver.metadata(of: description) }
    refused { try description.type.driver.destroy(description) }
    let clients = try (0..<2).map { _ in try RawSession(pooled.transactionURI) }
    for client in clients {
      try client.run(["BEGIN"])
      #expect(try client.rows("SHOW search_path") == ["elsewhere"])
      #expect(try client.rows("SELECT name FROM pg_prepared_statements").isEmpty)
      let locks =
        "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
      #expect(try client.rows(locks).isEmpty)
    }
    for client in clients { try client.run(["COMMIT"]) }
    try store.close()
  }

  @Test("a pooler in session mode needs no declaration (B366)")
  func sessionMode() throws {
    let description = try description(pooled.sessionURI, pooler: .none)
    let notebook = try Notebook(description)
    try notebook.write("a")
    #expect(try notebook.codes() == ["a"])
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    let numbers = try pool.withConnection { connection in
      #expect(connection.sessionCheck != nil)
      return try connection.runOnSnapshot([.once("SELECT 1::bigint"), .once("SELECT 2::bigint")])
        .map { $0.integer() }
    }
    #expect(numbers == [1, 2])
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try description.type.driver.destroy(description)
    }
    try notebook.close()
    try description.type.driver.destroy(description)
  }

  @Test("stores are used, copied and removed with one session of a pool at a time (B240, B366)")
  func oneSession() throws {
    let places = try (0..<3).map { _ in
      var place = try description()
      place.timeout = 5
      return place
    }
    // From here to the end another client has one of the two sessions.
    let other = try RawSession(pooled.transactionURI)
    try other.run(["BEGIN"])
    let notebook = try Notebook(places[0])
    let context = notebook.context()
    for number in 0..<100 {
      let note = Note(context: context)
      note.code = "\(number + 100)"
      note.text = String(repeating: "\u{E9}\t", count: number * 20)
    }
    try context.save()
    let old = try Notebook(places[1])
    try old.write("old")
    try old.close()
    let driver = places[1].type.driver
    try driver.replace(places[1], with: places[0])
    let copy = try Notebook(places[1])
    #expect(try copy.codes() == notebook.codes())
    try copy.write("new")
    #expect(try copy.codes().count == 101)
    try copy.close()
    let moved = try notebook.coordinator.migratePersistentStore(
      notebook.store, to: places[2].url, options: places[2].options, type: places[2].type)
    #expect(try notebook.codes().count == 100)
    try notebook.coordinator.remove(moved)
    for place in places { try driver.destroy(place) }
    try other.run(["COMMIT"])
  }

  @Test("a session that turns out to be another client's runs nothing (B366)")
  func moved() throws {
    let notebook = try Notebook(description(pooled.sessionURI, pooler: .none))
    try notebook.write("a")
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    // Another client of the same kind has changed the session's setting meanwhile.
    try pool.withConnection { connection in
      _ = try connection.run(.once("SELECT set_config('roost.session', 'another', false)"))
    }
    let error = #expect(throws: PersistenceError.self) { try notebook.write("b") }
    #expect(error?.code == .persistentStoreOpen)
    #expect(try notebook.codes() == ["a"])
    try notebook.write("c")
    #expect(try notebook.codes() == ["a", "c"])
    try notebook.close()
  }

  @Test("what others leave in a session is of no importance, and nothing is left for them (B366)")
  func leftovers() throws {
    let schema = "test_\(UUID().uuidString)"
    let settings = [
      "search_path": "elsewhere, pg_catalog", "default_transaction_read_only": "on",
      "default_transaction_isolation": "serializable", "synchronous_commit": "off",
      "lock_timeout": "7ms", "idle_in_transaction_session_timeout": "0",
    ]
    try leave(settings.map { "SET \($0.key) = \($0.value == "7ms" ? "'7ms'" : $0.value)" })
    let notebook = try Notebook(description(schema: schema))
    try notebook.write("a")
    let context = notebook.context()
    for number in 0..<100 { Note(context: context).code = "b\(number)" }
    try context.save()
    #expect(try notebook.codes().count == 101)
    let commits = "\"\(schema)\"._roost_commits"
    #expect(try server("SELECT count(*) > 0 FROM \(commits)") == ["t"])
    let clients = try (0..<2).map { _ in try RawSession(pooled.transactionURI) }
    for client in clients {
      try client.run(["BEGIN READ WRITE"])
      for (name, value) in settings { #expect(try client.rows("SHOW \(name)") == [value]) }
      #expect(try client.rows("SELECT name FROM pg_prepared_statements").isEmpty)
    }
    for client in clients { try client.run(["RESET ALL", "COMMIT"]) }
    try notebook.close()
  }

  @Test("a save rests on settings of its own transaction, not on those of the session (B366)")
  func ownSettings() throws {
    try leave(["SET synchronous_commit = off", "SET lock_timeout = 1"])
    var settings = try PostgreSQLURI.settings(pooled.transactionURI)
    settings.pooler = .transaction
    let pool = ConnectionPool(settings, timeout: 10, limit: 1, isReadOnly: false)
    try pool.withConnection { connection in
      let show =
        "SELECT current_setting('synchronous_commit') || ' ' || current_setting('lock_timeout')"
      try connection.run(.begin)
      #expect(try connection.run(.once(show)).text() == "on 8s")
      try connection.rollBack()
    }
    pool.close()
    try leave(["RESET ALL"])
  }

  @Test("an index is built in a transaction where a shared session refuses to write (B366, M31)")
  func concurrentIndex() throws {
    let schema = "test_\(UUID().uuidString)"
    _ = try server("CREATE SCHEMA \"\(schema)\" CREATE TABLE things (name text)")
    try leave(["SET default_transaction_read_only = on"])
    var settings = try PostgreSQLURI.settings(pooled.transactionURI)
    settings.pooler = .transaction
    let pool = ConnectionPool(settings, timeout: 10, limit: 1, isReadOnly: false)
    try pool.withConnection { connection in
      var statements = ConcurrentStatements(connection)
      try statements.run("CREATE INDEX CONCURRENTLY i ON \"\(schema)\".things (name)")
      #expect(statements.needsTransaction)
      try statements.run("DROP INDEX CONCURRENTLY \"\(schema)\".i")
      try statements.run("CREATE INDEX CONCURRENTLY j ON \"\(schema)\".things (name)")
    }
    pool.close()
    try leave(["RESET ALL"])
    #expect(
      try server("SELECT indexname FROM pg_indexes WHERE schemaname = '\(schema)'") == ["j"])
  }

  @Test("a request whose limit of time another client has set runs with its own (B366)")
  func limits() throws {
    let schema = "test_\(UUID().uuidString)"
    let notebook = try Notebook(description(schema: schema))
    try notebook.write("a")
    try leave(["SET lock_timeout = 1"])
    let other = try RawSession(pooled.serverURI)
    let codes = Mutex<[String]?>(nil)
    let done = DispatchSemaphore(value: 0)
    try other.run(["BEGIN", "LOCK TABLE \"\(schema)\".\"Note\""])
    Thread {
      let found = try? notebook.codes()
      codes.withLock { $0 = found }
      done.signal()
    }.start()
    // Waits for the second attempt, which has a longer limit.
    let waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    let watch = try RawSession(pooled.serverURI)
    var seen = 0
    while seen < 20, done.wait(timeout: .now() + 0.01) == .timedOut {
      seen = try watch.rows(waiting).isEmpty ? 0 : seen + 1
    }
    try other.run(["COMMIT"])
    if codes.withLock({ $0 }) == nil, seen == 20 { done.wait() }
    #expect(codes.withLock { $0 } == ["a"])
    try leave(["RESET ALL"])
    try notebook.close()
  }

  @Test("a store is not destroyed while somebody has it open in sessions that are shared (B239)")
  func lease() throws {
    let schema = "test_\(UUID().uuidString)"
    let shared = try description(schema: schema)
    let direct = try description(pooled.serverURI, schema: schema, pooler: .none)
    let notebook = try Notebook(shared)
    try notebook.write("a")
    for description in [shared, direct] {
      #expect(throws: PersistenceError(.storeBusy, "")) {
        try description.type.driver.destroy(description)
      }
    }
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
    #expect(try server("SELECT count(*) FROM \"\(schema)\"._roost_sessions") == ["0"])
    // Conversely.
    let other = try Notebook(direct)
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try shared.type.driver.destroy(shared)
    }
    try other.close()
    // The lease of a client that disappeared is valid for a minute.
    let gone = try Notebook(shared)
    let table = "\"\(schema)\"._roost_sessions"
    _ = try server("UPDATE \(table) SET renewed = renewed - interval '2 minutes'")
    try direct.type.driver.destroy(direct)
    #expect(try direct.type.driver.metadata(of: direct) == nil)
    try gone.close()
  }

  @Test(
    "a store that an older Roost has made gets the table of its users when one is needed (B366)")
  func olderStore() throws {
    let schema = "test_\(UUID().uuidString)"
    try Notebook(description(pooled.serverURI, schema: schema, pooler: .none)).close()
    _ = try server("DROP TABLE \"\(schema)\"._roost_sessions")
    let notebook = try Notebook(description(schema: schema))
    try notebook.write("a")
    #expect(try server("SELECT count(*) FROM \"\(schema)\"._roost_sessions") == ["1"])
    try notebook.close()
  }

  @Test("a URI declares a pooler, and refuses what is none")
  func uri() throws {
    let uri = pooled.transactionURI
    let notebook = try Notebook(
      .postgresql(uri + "&pooler=transaction", schema: "test_\(UUID().uuidString)"))
    try notebook.write("a")
    try notebook.close()
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      _ = try PersistentStoreDescription.postgresql(uri + "&pooler=statement")
    }
  }

  @Test(
    "the name of a schema may have whatever a name can have (B366)",
    arguments: [PostgreSQLPooler.none, .transaction])
  func names(_ pooler: PostgreSQLPooler) throws {
    let schema = #"o'b"r\ien.ü \#(UUID().uuidString)"#
    let uri = pooler == .none ? pooled.serverURI : pooled.transactionURI
    let description = try description(uri, schema: schema, pooler: pooler)
    for codes in [["a"], ["a", "b"]] {
      let notebook = try Notebook(description)
      try notebook.write(try #require(codes.last))
      #expect(try notebook.codes() == codes)
      try notebook.close()
    }
    let copy = try self.description(uri, schema: schema + "2", pooler: pooler)
    try copy.type.driver.replace(copy, with: description)
    let notebook = try Notebook(copy)
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
    for description in [description, copy] {
      try description.type.driver.destroy(description)
      #expect(try description.type.driver.metadata(of: description) == nil)
    }
  }
}
