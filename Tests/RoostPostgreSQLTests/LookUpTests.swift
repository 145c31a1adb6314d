// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostStore
import Testing

@testable import RoostPostgreSQL

@Suite("Looking up one record", .enabled(if: Servers.isThere))
struct LookUpTests {
  let notebook: Notebook
  let ids: [ObjectID]
  let pool: ConnectionPool

  /// A notebook with one connection and two notes.
  init() throws {
    var description = try Servers.description()
    description.options[StoreOption.connectionPoolMaxSize] = .integer(1)
    notebook = try Notebook(description)
    try notebook.write("a", "b")
    let context = notebook.context()
    ids = try context.fetch(Note.fetchRequest().sorted(by: \.code)).map(\.objectID)
    pool = try #require(notebook.store as? PostgreSQLStore).pool
  }

  /// Returns the code of a note, read by a new context.
  private func code(_ id: ObjectID) throws -> String? {
    let context = notebook.context()
    return try withExtendedLifetime(context) {
      (try context.existingObject(with: id) as? Note)?.code
    }
  }

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  private func schema() throws -> String {
    "\"\(try #require(notebook.store.url?.query()?.split(separator: "=").last))\""
  }

  @Test("records are looked up one after the other, each in one round trip, and a lost one is none")
  func oneByOne() throws {
    _ = try code(ids[0])
    let before = try pool.withConnection { $0.roundTrips }
    for _ in 0..<3 { #expect(try ids.map(code) == ["a", "b"]) }
    #expect(try pool.withConnection { $0.roundTrips } - before == 6)
    let context = notebook.context()
    context.delete(context.object(with: ids[1]))
    try context.save()
    #expect(try code(ids[0]) == "a")
    #expect(throws: PersistenceError(.objectReferentialIntegrity, "")) { try code(ids[1]) }
    try notebook.close()
  }

  @Test("a statement that had to go meanwhile is prepared again")
  func forgottenStatement() throws {
    _ = try code(ids[0])
    for round in 0..<2 {
      try pool.withConnection { connection in
        for number in 0..<300 {
          try connection.run(PostgreSQLCommand("SELECT \(round * 300 + number)"))
        }
      }
      #expect(try ids.map(code) == ["a", "b"])
    }
    _ = try pool.withConnection { try $0.run(.once("DEALLOCATE ALL")) }
    #expect(try ids.map(code) == ["a", "b"])
    try notebook.close()
  }

  @Test("a table that somebody has changed is an error, and none when it is as it was")
  func changedTable() throws {
    _ = try code(ids[0])
    let table = "\(try schema()).\"Note\""
    try raw().run(["ALTER TABLE \(table) ADD COLUMN foreign_column text DEFAULT 'x'"])
    #expect(try ids.map(code) == ["a", "b"])
    try raw().run(["ALTER TABLE \(table) ALTER COLUMN number TYPE integer"])
    #expect(throws: PersistenceError(.corruptStore, "")) { try code(ids[0]) }
    try raw().run(["ALTER TABLE \(table) ALTER COLUMN number TYPE bigint"])
    #expect(try ids.map(code) == ["a", "b"])
    try raw().run(["ALTER TABLE \(table) RENAME TO theirs"])
    #expect(throws: PersistenceError(.corruptStore, "")) { try code(ids[0]) }
    try raw().run(["ALTER TABLE \(schema()).theirs RENAME TO \"Note\""])
    #expect(try ids.map(code) == ["a", "b"])
    try notebook.close()
  }

  @Test("a session that the server has ended is replaced")
  func endedSession() throws {
    _ = try code(ids[0])
    let ended = try raw().rows(
      "SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory'"
        + " AND l.mode = 'ShareLock' AND l.pid <> pg_backend_pid()"
        + " AND l.objid = '\(try schema())._roost_metadata'::regclass::oid")
    #expect(!ended.isEmpty)
    #expect(try ids.map(code) == ["a", "b"])
    try notebook.close()
  }

  @Test("a refused look-up leaves its connection ready for the next request")
  func refused() throws {
    try pool.withConnection { connection throws in
      let text = "SELECT 10 / CAST($1 AS bigint)"
      func quotient(_ number: Int64) throws -> Int64 {
        var quotient: Int64 = 0
        try connection.run(text, with: number) { quotient = ResultField.integer($0, 0, 0) }
        return quotient
      }
      for _ in 0..<2 {
        #expect(try quotient(5) == 2)
        let error = #expect(throws: PostgreSQLError.self) { try quotient(0) }
        #expect(error?.isDivisionByZero == true)
        #expect(error?.statement == text)
        #expect(!connection.isBroken && !connection.isInTransaction)
      }
      struct Trouble: Error {}
      #expect(throws: Trouble.self) { try connection.run(text, with: 1) { _ in throw Trouble() } }
      #expect(try quotient(2) == 5)
    }
    try notebook.close()
  }

  @Test("the statement that is looked up by is not the one that goes first")
  func kept() throws {
    var statements = PreparedStatements(capacity: 2)
    func key(_ text: String) -> PreparedStatements.Key { .init(text: text, types: [20]) }
    statements.keep(key("one"), name: "1")
    #expect(statements.name(of: "one", type: 20) == "1")
    #expect(statements.name(of: "one", type: 23) == nil)
    for text in ["two", "three"] {
      _ = statements.name(of: key(text))
      statements.keep(key(text), name: text)
      #expect(statements.name(of: "one", type: 20) == "1")
    }
    #expect(statements.popSurplus() == "two")
    #expect(statements.popSurplus() == nil)
    #expect(statements.name(of: "three", type: 20) == "three")
    #expect(statements.name(of: "one", type: 20) == "1")
    statements.removeAll()
    #expect(statements.name(of: "one", type: 20) == nil)
    try notebook.close()
  }
}
