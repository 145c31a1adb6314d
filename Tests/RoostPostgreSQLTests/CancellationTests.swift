// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostPostgreSQL

/// A table that another session has locked, and the sessions that wait for it.
private struct LockedTable {
  let notebook: Notebook
  private let holder: RawSession
  private let watcher: RawSession
  private let table: String

  /// Locks the table of a notebook with one note.
  init(
    _ description: PersistentStoreDescription, schema: String? = nil, at uri: String
  ) throws {
    notebook = try Notebook(description)
    try notebook.write("a")
    let last = notebook.store.url?.query()?.split(separator: "=").last.map(String.init)
    let schema = try #require(schema ?? last)
    table = "\"\(schema)\".\"Note\""
    holder = try RawSession(uri)
    watcher = try RawSession(uri)
    try lock()
  }

  func lock() throws {
    try holder.run(["BEGIN", "LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE"])
  }

  func unlock() throws { try holder.run(["COMMIT"]) }

  /// Returns the server processes that wait for the table.
  func waiting() throws -> [String] {
    try watcher.rows(
      "SELECT pid FROM pg_locks WHERE NOT granted AND relation = '\(table)'::regclass ORDER BY pid")
  }

  /// Waits until a number of processes wait for the table.
  func untilWaiting(_ count: Int = 1) async throws -> [String] {
    try await waitUntil(waiting().count >= count)
    return try waiting()
  }

  func isAlive(_ process: String) throws -> Bool {
    try watcher.rows("SELECT pid FROM pg_stat_activity WHERE pid = \(process)").count == 1
  }
}

/// The errors of tasks, for a test that waits for what they will not do any more.
private final class Failures: Sendable {
  private let list = Mutex<[String]>([])

  var all: [String] { list.withLock { $0 } }

  func noting<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch {
      list.withLock { $0.append("\(error)") }
      throw error
    }
  }
}

/// The work of a task that is cancelled.
private enum Work: String, CaseIterable, Sendable {
  case perform, actor, awaitingActor, save, count

  func run(_ coordinator: PersistentStoreCoordinator) async throws -> Int {
    let request = Note.fetchRequest()
    switch self {
    case .perform:
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      return try await context.perform { try context.fetch(request).count }
    case .actor:
      return try await ContextActor(coordinator: coordinator).perform {
        try $0.fetch(request).count
      }
    case .awaitingActor:
      return try await ContextActor(coordinator: coordinator).perform { context in
        await Task.yield()
        return try context.fetch(request).count
      }
    case .save:
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      return try await context.perform {
        Note(context: context).code = "cancelled"
        try context.save()
        return 1
      }
    case .count:
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      return try await context.perform { try context.count(for: request) }
    }
  }
}

@Suite("Requests that are cancelled", .enabled(if: Servers.isThere))
struct CancellationTests {
  @Test(
    "a task that is cancelled while a table is locked ends, and its connection is used again (F20)",
    arguments: Work.allCases)
  fileprivate func locked(_ work: Work) async throws {
    let table = try LockedTable(Servers.description(), at: try #require(Servers.uri))
    let coordinator = table.notebook.coordinator
    let task = Task { try await work.run(coordinator) }
    let process = try #require(try await table.untilWaiting().first)
    task.cancel()
    // The table is still locked: only the cancellation can have ended the wait.
    await #expect(throws: PersistenceError(.userCancelled, "")) { try await task.value }
    #expect(try table.waiting().isEmpty)
    #expect(try table.isAlive(process))
    let pool = try #require(table.notebook.store as? PostgreSQLStore).pool
    let connections = pool.connectionCount
    try table.unlock()
    #expect(try table.notebook.codes() == ["a"])
    #expect(try await Work.save.run(coordinator) == 1)
    #expect(try table.notebook.codes() == ["a", "cancelled"])
    #expect(pool.connectionCount == connections)
    #expect(try table.isAlive(process))
    try table.notebook.close()
  }

  @Test(
    "a save that is canceled while its standbys do not have it is not acknowledged before they do (F20)",
    .enabled(if: Servers.canBeStarted), arguments: ["by its task", "by an administrator"])
  func standby(_ canceled: String) async throws {
    let server = try PrivatePostgreSQL()
    let notebook = try Notebook(Servers.description(on: server))
    try notebook.write("a")
    try Servers.administer(
      server, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()")
    let watcher = try RawSession(server.uri.replacing("user=roost", with: "user=postgres"))
    func waiting() throws -> [String] {
      try watcher.rows(
        "SELECT pid || ' ' || query_start FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    }
    let isAcknowledged = Mutex(false)
    let task = Task {
      defer { isAcknowledged.withLock { $0 = true } }
      return try await Work.save.run(notebook.coordinator)
    }
    try await waitUntil(!waiting().isEmpty)
    let first = try waiting()
    if canceled == "by its task" {
      task.cancel()
    } else {
      try watcher.run(["SELECT pg_cancel_backend(\(first[0].prefix { $0 != " " }))"])
    }
    // Another transaction waits for the standbys, or the save has been acknowledged without them.
    try await waitUntil(
      waiting() != first && !waiting().isEmpty || isAcknowledged.withLock { $0 })
    #expect(!isAcknowledged.withLock { $0 })
    try Servers.administer(
      server, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
    #expect(try await task.value == 1)
    #expect(try notebook.codes() == ["a", "cancelled"])
    try notebook.close()
  }

  @Test("the one who is cancelled ends, and who waits beside it gets the answer (F20)")
  func neighbour() async throws {
    let table = try LockedTable(Servers.description(), at: try #require(Servers.uri))
    let coordinator = table.notebook.coordinator
    let failures = Failures()
    let tasks = (0..<4).map { _ in
      Task { try await failures.noting { try await Work.perform.run(coordinator) } }
    }
    try await waitUntil(table.waiting().count >= 4 || !failures.all.isEmpty)
    try #require(failures.all == [])
    tasks[1].cancel()
    tasks[2].cancel()
    for task in tasks[1...2] {
      await #expect(throws: PersistenceError(.userCancelled, "")) { try await task.value }
    }
    #expect(try table.waiting().count == 2)
    try table.unlock()
    for task in [tasks[0], tasks[3]] { #expect(try await task.value == 1) }
    try table.notebook.close()
  }

  @Test("who waits for a connection of the pool ends when it is cancelled (F20)")
  func pool() async throws {
    var description = try Servers.description()
    description.options[StoreOption.connectionPoolMaxSize] = .integer(1)
    let table = try LockedTable(description, at: try #require(Servers.uri))
    let coordinator = table.notebook.coordinator
    let pool = try #require(table.notebook.store as? PostgreSQLStore).pool
    let first = Task { try await Work.perform.run(coordinator) }
    _ = try await table.untilWaiting()
    let second = Task { try await Work.perform.run(coordinator) }
    try await waitUntil(pool.waiterCount == 1)
    second.cancel()
    await #expect(throws: PersistenceError(.userCancelled, "")) { try await second.value }
    #expect(pool.waiterCount == 0)
    try table.unlock()
    #expect(try await first.value == 1)
    #expect(try await Work.perform.run(coordinator) == 1)
    try table.notebook.close()
  }

  @Test(
    "a server that does not even hear that it is to stop is left, and nothing waits for it (F20)",
    .enabled(if: Servers.canBeStarted))
  func silent() async throws {
    let server = try #require(Servers.network)
    let wire = try Wire(to: server.port)
    let notebook = try Notebook(
      Servers.networkDescription(port: wire.port, password: server.password, timeout: 600))
    try notebook.write("a")
    let isHeld = DispatchSemaphore(value: 0)
    wire.setJudge { _ in
      isHeld.signal()
      return .hold
    }
    let task = Task { try await Work.perform.run(notebook.coordinator) }
    await withCheckedContinuation { continuation in
      Thread {
        isHeld.wait()
        continuation.resume()
      }.start()
    }
    task.cancel()
    await #expect(throws: PersistenceError(.userCancelled, "")) { try await task.value }
    wire.setJudge { _ in .forward }
    wire.release()
    #expect(try notebook.codes() == ["a"])
    try notebook.close()
  }

  @Test(
    "behind a pooler a request is stopped as well, and no other client's (F20)",
    .enabled(if: PooledPostgreSQL.shared != nil))
  func pooler() async throws {
    let pooled = try #require(PooledPostgreSQL.shared)
    let schema = "test_\(UUID().uuidString)"
    let table = try LockedTable(
      .postgresql(pooled.transactionURI, schema: schema, pooler: .transaction), schema: schema,
      at: pooled.serverURI)
    let coordinator = table.notebook.coordinator
    let task = Task { try await Work.save.run(coordinator) }
    _ = try await table.untilWaiting()
    task.cancel()
    await #expect(throws: PersistenceError(.userCancelled, "")) { try await task.value }
    #expect(try table.waiting().isEmpty)
    try table.unlock()
    for _ in 0..<20 { #expect(try table.notebook.codes() == ["a"]) }
    try table.notebook.close()
  }
}
