// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostSQL
import RoostStore
import Synchronization
import Testing

@testable import RoostPostgreSQL

@Suite("By what saves are recognised", .enabled(if: Servers.isThere))
struct CommitTokenTests {
  private let notebook: Notebook
  private let table: String

  init() throws {
    notebook = try Notebook()
    let schema = try #require(notebook.store.url?.query()?.split(separator: "=").last)
    table = "\"\(schema)\"._roost_commits"
  }

  private var pool: ConnectionPool {
    get throws { try #require(notebook.store as? PostgreSQLStore).pool }
  }

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  /// The statements that `body` runs.
  private func statements(_ body: () throws -> Void) rethrows -> [String] {
    let texts = Mutex<[String]>([])
    notebook.log?.listen { line in texts.withLock { $0.append(line.text) } }
    defer { notebook.log?.listen(nil) }
    try body()
    return texts.withLock { $0 }
  }

  @Test(
    "a save of one new record is two statements in one round trip, and begins no transaction by itself"
  )
  func oneRecord() throws {
    try notebook.write("a")
    let before = try pool.withConnection { $0.roundTrips }
    let texts = try statements { try notebook.write("b") }
    #expect(try pool.withConnection { $0.roundTrips } == before + 1)
    #expect(texts.count == 2, "\(texts)")
    let note = table.replacing("_roost_commits", with: "\"Note\"")
    #expect(texts.first?.hasPrefix("INSERT INTO \(note)") == true)
    #expect(texts.last?.contains("_roost_commits") == true)
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }

  @Test(
    "whoever asks how a save ended before it was written makes sure that it never will be",
    arguments: [false, true])
  func fenced(hasSaved: Bool) throws {
    // The first save of a connection makes its row, the later ones find it.
    if hasSaved { try notebook.write("a") }
    try pool.withConnection { late in
      let mark = late.saveRow.mark(in: StoreFormat(PostgreSQLNamespace.formatVersion))
      #expect((mark.before != 0) == hasSaved)
      try pool.withConnection { other in
        #expect(other !== late)
        // Run twice, because the first response may be lost too.
        for _ in 0..<2 {
          let answer = try other.run(mark.settling).integer()
          #expect(answer >= CommitToken.fence)
        }
      }
      let text = #"INSERT INTO "Note" ("_key", "_version", "code") VALUES (1, 1, 'late')"#
      let outcome = try late.run([.once(text), mark.writing])
      #expect(outcome.failure?.index == 1)
      #expect(outcome.failure?.error.isDivisionByZero == true)
      #expect(!late.isInTransaction)
    }
    #expect(
      try raw().rows("SELECT count(*) FROM \(table.replacing("_roost_commits", with: "\"Note\""))")
        == [hasSaved ? "1" : "0"])
    try notebook.close()
  }

  @Test(
    "a save that was written is found to be committed, however often that is asked",
    arguments: [false, true])
  func committed(hasSaved: Bool) throws {
    if hasSaved { try notebook.write("a") }
    try pool.withConnection { connection in
      let mark = connection.saveRow.mark(in: StoreFormat(PostgreSQLNamespace.formatVersion))
      let number = try connection.run(mark.writing).integer()
      #expect(number != mark.before)
      for _ in 0..<2 {
        let answer = try connection.run(mark.settling).integer()
        #expect(answer == number)
      }
    }
    try notebook.close()
  }

  @Test("a connection whose row somebody has removed makes another one")
  func removedRow() throws {
    try notebook.write("a")
    try raw().run(["DELETE FROM \(table)"])
    try notebook.write("b")
    try notebook.write("c")
    #expect(try raw().rows("SELECT token FROM \(table)").count == 1)
    #expect(try notebook.codes() == ["a", "b", "c"])
    try notebook.close()
  }

  @Test(
    "a save that fails at its commit throws, writes nothing, and leaves a connection that can be used"
  )
  func failingCommit() throws {
    try notebook.write("a")
    let note = table.replacing("_roost_commits", with: "\"Note\"")
    let function = table.replacing("_roost_commits", with: "late")
    try raw().run([
      "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS "
        + "$$BEGIN RAISE EXCEPTION 'late' USING ERRCODE = '23514'; END$$",
      "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON \(note) DEFERRABLE INITIALLY DEFERRED "
        + "FOR EACH ROW EXECUTE FUNCTION \(function)()",
    ])
    for count in [1, 100] {
      let context = notebook.context()
      for number in 0..<count { Note(context: context).code = "b\(number)" }
      #expect(throws: PersistenceError.self) { try context.save() }
      #expect(context.insertedObjects.count == count)
      #expect(try notebook.codes() == ["a"])
    }
    try raw().run(["DROP TRIGGER late ON \(note)"])
    try notebook.write("b")
    #expect(try notebook.codes() == ["a", "b"])
    #expect(try pool.connectionCount == 1)
    try notebook.close()
  }
}
