// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import Testing

@testable import RoostPostgreSQL

/// Tests of saves that fail repeatedly because of concurrent transactions. A trigger raises the errors, and counts
/// them with a sequence, because `nextval` is not rolled back.
@Suite("Collisions with other transactions", .enabled(if: Servers.isThere))
struct CollisionTests {
  /// The number of consecutive collisions, from `ROOST_COLLISIONS`.
  private static let collisions =
    ProcessInfo.processInfo.environment["ROOST_COLLISIONS"].flatMap(Int.init) ?? 150
  /// The number of attempts per save.
  private static let attempts = 12

  private let notebook: Notebook
  private let schema: String
  private let other: RawSession

  init() throws {
    notebook = try Notebook(Servers.description())
    try notebook.write("a")
    schema = "\"\(try #require(notebook.store.url?.query()?.split(separator: "=").last))\""
    other = try RawSession(try #require(Servers.uri))
  }

  /// Makes the next inserting transactions fail, at the statement or at the commit.
  private func collide(_ state: String, _ count: Int, deferred: Bool) throws {
    let kind = deferred ? "CONSTRAINT TRIGGER collision AFTER" : "TRIGGER collision BEFORE"
    let time = deferred ? "DEFERRABLE INITIALLY DEFERRED" : ""
    try other.run([
      "DROP TRIGGER IF EXISTS collision ON \(schema).\"Note\"",
      "CREATE SEQUENCE IF NOT EXISTS \(schema).tried",
      "ALTER SEQUENCE \(schema).tried RESTART",
      "CREATE OR REPLACE FUNCTION \(schema).collide() RETURNS trigger LANGUAGE plpgsql AS "
        + "$$BEGIN IF nextval('\(schema).tried') <= \(count) THEN "
        + "RAISE EXCEPTION 'collision' USING ERRCODE = '\(state)'; END IF; RETURN NEW; END$$",
      "CREATE \(kind) INSERT ON \(schema).\"Note\" \(time) "
        + "FOR EACH ROW EXECUTE FUNCTION \(schema).collide()",
    ])
  }

  private func tried() throws -> Int {
    Int(try other.rows("SELECT last_value FROM \(schema).tried").first ?? "") ?? 0
  }

  @Test(
    "a save that loses again and again gives up with a typed error, and leaves nothing behind (reliability 3.17)",
    arguments: ["40001", "40P01"], [false, true])
  func always(_ state: String, _ deferred: Bool) throws {
    try collide(state, .max, deferred: deferred)
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    let context = notebook.context()
    Note(context: context).code = "b"
    var saves = 0
    while saves * Self.attempts < Self.collisions {
      saves += 1
      let error = #expect(throws: PersistenceError.self) { try context.save() }
      #expect(error?.code == .storeBusy)
      #expect(context.insertedObjects.count == 1)
    }
    #expect(try tried() == saves * Self.attempts)
    #expect(pool.connectionCount == 1)
    #expect(
      try other.rows(
        "SELECT pid FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND query LIKE "
          + "'%\(schema)%'"
      ).isEmpty)
    try other.run(["DROP TRIGGER collision ON \(schema).\"Note\""])
    #expect(try notebook.codes() == ["a"])
    try context.save()
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }

  @Test(
    "a save that loses often and wins at last is made once (reliability 3.17)",
    arguments: ["40001", "40P01"], [false, true])
  func often(_ state: String, _ deferred: Bool) throws {
    try collide(state, Self.attempts - 1, deferred: deferred)
    try notebook.write("b")
    #expect(try tried() == Self.attempts)
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.write("c")
    #expect(try tried() == Self.attempts + 1)
    try notebook.close()
  }
  @Test(
    "a server that goes down in the middle of a save has lost the connection, and the save is made once",
    arguments: ["57P01", "57P02", "57P03", "08006"])
  func goingDown(_ state: String) throws {
    try collide(state, 1, deferred: false)
    try notebook.write("b")
    #expect(try tried() == 2)
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }
}
