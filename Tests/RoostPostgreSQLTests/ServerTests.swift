// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import Synchronization
import Testing

@Suite("What happens to the server", .enabled(if: Servers.canBeStarted))
struct ServerTests {
  @Test("a restart between requests costs nobody anything")
  func restart() throws {
    let server = try PrivatePostgreSQL()
    defer { server.stop() }
    let notebook = try Notebook(Servers.description(on: server))
    try notebook.write("a")
    for round in 0..<3 {
      if round == 2 { try server.kill() } else { try server.restart() }
      #expect(try notebook.codes().count == round + 1)
      try server.restart()
      try notebook.write("b\(round)")
    }
    #expect(try notebook.codes() == ["a", "b0", "b1", "b2"])
    try notebook.close()
  }

  @Test("a server that is gone is an error, and the changes are kept")
  func gone() throws {
    let server = try PrivatePostgreSQL()
    let description = try Servers.description(on: server, timeout: 2)
    let notebook = try Notebook(description)
    try notebook.write("a")
    server.stop()
    let context = notebook.context()
    Note(context: context).code = "b"
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(throws: PersistenceError.self) { try notebook.codes() }
    #expect(context.hasChanges)
    try notebook.close()
  }

  @Test("a server that nobody reaches is an error, and all is well when it is back")
  func down() throws {
    let server = try #require(Servers.network)
    let wire = try Wire(to: server.port)
    let notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password, timeout: 10))
    try notebook.write("a")
    wire.setJudge { _ in .cut }
    let context = notebook.context()
    Note(context: context).code = "b"
    #expect(throws: PersistenceError.self) { try context.save() }
    let error = #expect(throws: PersistenceError.self) { try notebook.codes() }
    #expect(error.map { "\($0)" }?.contains(server.password) == false)
    #expect(context.hasChanges)
    wire.setJudge { _ in .forward }
    #expect(try notebook.codes() == ["a"])
    try context.save()
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }

  @Test("sessions that the server has ended are replaced")
  func endedSessions() throws {
    let notebook = try Notebook()
    try notebook.write("a")
    let raw = try RawSession(try #require(Servers.uri))
    let ended = try raw.rows(
      "SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory'"
        + " AND l.mode = 'ShareLock' AND l.pid <> pg_backend_pid()"
        + " AND l.objid = '\(try schema(notebook))._roost_metadata'::regclass::oid")
    #expect(!ended.isEmpty)
    #expect(try notebook.codes() == ["a"])
    try notebook.write("b")
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }

  private func schema(_ notebook: Notebook) throws -> String {
    "\"\(try #require(notebook.store.url?.query()?.split(separator: "=").last))\""
  }

  @Test("a server that falls silent is given up at the deadline, and used again afterwards")
  func silent() throws {
    let server = try #require(Servers.network)
    let wire = try Wire(to: server.port)
    let notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password, timeout: 3))
    try notebook.write("a")
    wire.setJudge { _ in .hold }
    let error = #expect(throws: PersistenceError.self) { try notebook.codes() }
    #expect(error?.code == .persistentStoreTimeout)
    wire.setJudge { _ in .forward }
    wire.release()
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
  }

  @Test("a table that somebody has changed is an error, not a wrong answer")
  func changedTable() throws {
    let notebook = try Notebook()
    try notebook.write("a")
    _ = try notebook.codes()
    let table = try "\(schema(notebook)).\"Note\""
    let raw = try RawSession(try #require(Servers.uri))
    // A new column and a new order of columns do not matter: statements are prepared again.
    try raw.run(["ALTER TABLE \(table) ADD COLUMN foreign_column text DEFAULT 'x'"])
    #expect(try notebook.codes() == ["a"])
    try raw.run(["ALTER TABLE \(table) ALTER COLUMN number TYPE integer"])
    #expect(throws: PersistenceError(.corruptStore, "")) { try notebook.codes() }
    try raw.run(["ALTER TABLE \(table) ALTER COLUMN number TYPE bigint"])
    #expect(try notebook.codes() == ["a"])
    try raw.run(["ALTER TABLE \(table) DROP COLUMN text"])
    #expect(throws: PersistenceError(.corruptStore, "")) { try notebook.codes() }
    #expect(throws: PersistenceError(.corruptStore, "")) { try notebook.write("b") }
    let description = notebook.store.description
    try notebook.close()
    // The lost column is not created again as if it had been empty.
    let error = #expect(throws: PersistenceError.self) { _ = try Notebook(description) }
    #expect(error?.code == .persistentStoreIncompatibleSchema && error?.key == "text")
    try raw.run(["ALTER TABLE \(table) ADD COLUMN text bigint"])
    #expect(throws: PersistenceError(.persistentStoreIncompatibleSchema, "")) {
      _ = try Notebook(description)
    }
    try raw.run(["DROP TABLE \(table)"])
    // Nor is the lost table.
    let missing = #expect(throws: PersistenceError.self) { _ = try Notebook(description) }
    #expect(missing?.code == .persistentStoreIncompatibleSchema)
    #expect(missing?.message.contains("Note") == true)
  }

  @Test("two saves that wait for each other's values both end, and one of them wins")
  func deadlock() throws {
    let notebook = try Notebook()
    let results = Mutex<[Int: Int]>([:])
    let rounds = 40
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      for round in 0..<rounds {
        let context = notebook.context()
        let codes = worker.isMultiple(of: 2) ? ["a", "b"] : ["b", "a"]
        for code in codes { Note(context: context).code = "\(code)\(round)" }
        do {
          try context.save()
          results.withLock { $0[round, default: 0] += 1 }
        } catch let error as PersistenceError where error.code == .managedObjectConstraintMerge {
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    #expect(
      results.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<rounds).map { ($0, 1) }))
    #expect(try notebook.codes().count == rounds * 2)
    try notebook.close()
  }

  @Test("records that are changed in opposite orders by many never collide for good")
  func increments() throws {
    let notebook = try Notebook()
    try notebook.write("a", "b")
    let rounds = 25
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      var left = rounds
      while left > 0 {
        let context = notebook.context()
        do {
          for note in try context.fetch(Note.fetchRequest()) { note.number += 1 }
          try context.save()
          left -= 1
        } catch let error as PersistenceError where error.code == .managedObjectMerge {
          // A conflict: continues with the current rows.
        } catch {
          Issue.record("\(error)")
          return
        }
      }
    }
    let context = notebook.context()
    let numbers = try context.fetch(Note.fetchRequest()).map(\.number)
    #expect(numbers == [rounds * 4, rounds * 4])
    try notebook.close()
  }
}
