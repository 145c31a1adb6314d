// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostStore
import Testing

@testable import RoostPostgreSQL

/// Tests of the operations that a store refuses for every caller, and of what it leaves in the database.
@Suite("The ends of a PostgreSQL store", .enabled(if: Servers.isThere))
struct StoreEndTests {
  @Test("a store that is read-only refuses a save without asking the server (B236)")
  func readOnly() throws {
    var description = try Servers.description()
    let writer = try Notebook(description)
    try writer.write("a")
    description.isReadOnly = true
    let log = StoreLog()
    description.log = log
    let reader = try Notebook(description)
    let before = log.statements
    let error = #expect(throws: PersistenceError.self) {
      _ = try reader.store.commit(StoreChangeSet())
    }
    #expect(error?.code == .readOnlyStore)
    #expect(log.statements == before)
    try reader.close()
    try writer.close()
  }

  @Test("a store that is closed no longer counts as one that is in use (B239)")
  func lease() throws {
    let uri = try #require(Servers.uri)
    let schema = "test_\(UUID().uuidString)"
    // Behind a pooler, sessions do not show which clients have a store open, so there are leases.
    let notebook = try Notebook(.postgresql(uri, schema: schema, pooler: .transaction))
    let session = try RawSession(uri)
    func leases() throws -> Int {
      try session.rows("SELECT 1 FROM \"\(schema)\"._roost_sessions").count
    }
    try notebook.write("a")
    #expect(try leases() == 1)
    try notebook.close()
    #expect(try leases() == 0)
  }
}

/// Tests of the cache of prepared statements.
@Suite struct PreparedStatementsTests {
  @Test("of more statements than are kept the one that was not used for longest goes first")
  func order() {
    var statements = PreparedStatements(capacity: 2)
    func key(_ text: String) -> PreparedStatements.Key { .init(text: text, types: []) }
    for text in ["a", "b"] {
      #expect(statements.name(of: key(text)) == nil)
      statements.keep(key(text), name: text)
    }
    #expect(statements.popSurplus() == nil)
    #expect(statements.name(of: key("a")) == "a")
    #expect(statements.name(of: key("c")) == nil)
    statements.keep(key("c"), name: "c")
    #expect(statements.popSurplus() == "b")
    #expect(statements.popSurplus() == nil)
    #expect(statements.name(of: key("a")) == "a" && statements.name(of: key("c")) == "c")
  }
}
