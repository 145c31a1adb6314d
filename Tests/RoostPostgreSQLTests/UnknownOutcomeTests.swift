// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import Synchronization
import TestWaiting
import Testing

/// Tests of saves whose connection stops responding, and of the requests after them.
@Suite("Saves that nobody hears of", .enabled(if: Servers.canBeStarted))
struct UnknownOutcomeTests {
  private let server: PrivatePostgreSQL
  private let wire: Wire
  private let notebook: Notebook
  private let schema: String
  private let raw: RawSession

  init() throws {
    server = try #require(Servers.network)
    wire = try Wire(to: server.port)
    notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password, timeout: 3))
    try notebook.write("a")
    schema = "\"\(try #require(notebook.store.url?.query()?.split(separator: "=").last))\""
    raw = try RawSession(server.uri)
  }

  private func releaseWire() {
    wire.setJudge { _ in .forward }
    wire.release()
  }

  @Test("a save that falls silent before its commit was sent was not written, and that is known")
  func beforeCommit() throws {
    wire.setJudge { $0.has("COPY ") ? .hold : .forward }
    let context = notebook.context()
    for number in 0..<100 { Note(context: context).code = "b\(number)" }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .persistentStoreTimeout)
    #expect(context.insertedObjects.count == 100)
    releaseWire()
    #expect(try notebook.codes() == ["a"])
    try context.save()
    #expect(try notebook.codes().count == 101)
    try notebook.close()
  }

  @Test(
    "a save that has failed is never made, although the server was still at it (B169)",
    arguments: [false, true])
  func stillRunning(nextIsSave: Bool) throws {
    try holdInserts(of: "held")
    wire.setJudge { $0.has(".\"Note\" (\"_key\"") ? .hold : .forward }
    let context = notebook.context()
    Note(context: context).code = "held"
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    // The outcome is certain: the request for the outcome prevents the commit.
    #expect(error?.code == .persistentStoreTimeout)
    releaseWire()
    let known = nextIsSave ? ["a", "b"] : ["a"]
    if nextIsSave { try notebook.write("b") } else { #expect(try notebook.codes() == known) }
    // The server continues the blocked save to its end.
    try letGo()
    #expect(try notebook.codes() == known)
    try context.save()
    #expect(try notebook.codes() == known + ["held"])
    try notebook.close()
  }

  /// Makes the server wait before it writes a note, until ``letGo()``; it does not wait for a lock, because locks
  /// have a timeout.
  private func holdInserts(of code: String) throws {
    try raw.run([
      "CREATE TABLE \(schema).gate (isOpen boolean)",
      "CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS "
        + "$$BEGIN WHILE NOT EXISTS (SELECT 1 FROM \(schema).gate) LOOP "
        + "PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END$$",
      "CREATE TRIGGER wait BEFORE INSERT ON \(schema).\"Note\" FOR EACH ROW "
        + "WHEN (NEW.code = '\(code)') EXECUTE FUNCTION \(schema).wait()",
    ])
  }

  /// Lets the server continue, and waits until it has finished the blocked statements.
  private func letGo() throws {
    let waiting =
      "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
      + "AND query LIKE '%\(schema).\"Note\"%'"
    let held = try raw.rows(waiting)
    #expect(held.count == 1)
    try raw.run(["INSERT INTO \(schema).gate VALUES (true)"])
    for pid in held {
      let isThere = "SELECT pid FROM pg_stat_activity WHERE pid = \(pid)"
      try waitUntil(raw.rows(isThere).isEmpty)
    }
  }
}
