// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import Synchronization
import Testing

@testable import RoostPostgreSQL

@Suite("How a save ended", .enabled(if: Servers.canBeStarted))
struct OutcomeTests {
  private func network() throws -> PrivatePostgreSQL { try #require(Servers.network) }

  /// Returns a judge that applies a decision once, to the data with the commit of the first save after it is set.
  private func once(_ decision: Wire.Decision) -> @Sendable ([UInt8]) -> Wire.Decision {
    let isDone = Mutex(false)
    return { bytes in
      guard bytes.has("_roost_commits"), bytes.has("WITH gone") || bytes.has(".\"Note\" (\"_key\"")
      else { return .forward }
      return isDone.withLock { done in
        defer { done = true }
        return done ? .forward : decision
      }
    }
  }

  @Test("a commit whose answer is lost is found to be committed, and is not done twice")
  func answerLost() throws {
    let server = try network()
    let wire = try Wire(to: server.port)
    let description = Servers.networkDescription(port: wire.port, password: server.password)
    let notebook = try Notebook(description)
    wire.setJudge(once(.forwardAndCut))
    let before = wire.connections
    try notebook.write("a")
    #expect(wire.connections > before)
    #expect(try notebook.codes() == ["a"])
    try notebook.write("b")
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }

  @Test("a commit that never reached the server is found to be rolled back, and is done once")
  func cutBefore() throws {
    let server = try network()
    let wire = try Wire(to: server.port)
    let notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password))
    wire.setJudge(once(.cut))
    try notebook.write("a")
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
  }

  @Test("a save whose every attempt is cut off throws, keeps its changes and writes nothing")
  func alwaysCut() throws {
    let server = try network()
    let wire = try Wire(to: server.port)
    let notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password))
    wire.setJudge { $0.has(".\"Note\" (\"_key\"") ? .cut : .forward }
    let context = notebook.context()
    Note(context: context).code = "a"
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .persistentStoreOperation)
    #expect(context.hasChanges)
    #expect(try notebook.codes() == [])
    wire.setJudge { _ in .forward }
    try context.save()
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
  }

  @Test("an outcome that nobody can learn is unknown, and is learnt by the next request")
  func unknown() throws {
    let server = try network()
    let wire = try Wire(to: server.port)
    let notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password, timeout: 3))
    wire.setJudge { $0.has(".\"Note\" (\"_key\"") ? .hold : .forward }
    let context = notebook.context()
    Note(context: context).code = "a"
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .commitOutcomeUnknown)
    let store = try #require(notebook.store as? PostgreSQLStore)
    #expect(store.unresolved.count == 1)
    wire.setJudge { _ in .forward }
    wire.release()
    // The server received everything: the save is committed, and the outcome is final.
    #expect(try notebook.codes() == ["a"])
    #expect(store.unresolved.isEmpty)
    try notebook.close()
  }

  @Test("a save finds out how an earlier one ended before it writes (B357)")
  func unknownBeforeSave() throws {
    let server = try network()
    let wire = try Wire(to: server.port)
    let notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password, timeout: 3))
    wire.setJudge { $0.has(".\"Note\" (\"_key\"") ? .hold : .forward }
    #expect(throws: PersistenceError(.commitOutcomeUnknown, "")) { try notebook.write("a") }
    wire.setJudge { _ in .forward }
    wire.release()
    try notebook.write("b")
    #expect(try #require(notebook.store as? PostgreSQLStore).unresolved.isEmpty)
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }

  @Test("the backend that is ended in the middle of a save loses nothing and writes nothing twice")
  func terminated() throws {
    let notebook = try Notebook()
    try notebook.write("a")
    let schema = try #require(notebook.store.url?.query()?.split(separator: "=").last)
    let other = try RawSession(try #require(Servers.uri))
    // Another session holds the table, so the save waits in the server, where it is terminated.
    try other.run(["BEGIN", "LOCK TABLE \"\(schema)\".\"Note\" IN EXCLUSIVE MODE"])
    let isEnded = DispatchSemaphore(value: 0)
    let killer = Thread {
      let raw = try? RawSession(Servers.uri ?? "")
      let query =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        + " AND query LIKE '%Note%' AND pid IN (SELECT pid FROM pg_locks WHERE NOT granted"
        + " AND relation = '\"\(schema)\".\"Note\"'::regclass)"
      for _ in 0..<500 {
        if let ended = try? raw?.rows(query), !ended.isEmpty { break }
        usleep(10_000)
      }
      _ = try? other.rows("COMMIT")
      isEnded.signal()
    }
    killer.start()
    try notebook.write("b")
    isEnded.wait()
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }
}
