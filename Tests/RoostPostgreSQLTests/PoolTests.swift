// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostPostgreSQL

@Suite("The pool of connections", .enabled(if: Servers.isThere))
struct PoolTests {
  private func pool(limit: Int, timeout: Double = Servers.patience) throws -> ConnectionPool {
    let settings = try PostgreSQLURI.settings(try #require(Servers.uri))
    return ConnectionPool(settings, timeout: timeout, limit: limit, isReadOnly: false)
  }

  @Test("who waits longest for a connection is served first")
  func fair() throws {
    let pool = try pool(limit: 1)
    let order = Mutex<[Int]>([])
    let done = DispatchGroup()
    try pool.withConnection { _ in
      for number in 0..<8 {
        done.enter()
        let before = pool.waiterCount
        Thread {
          try? pool.withConnection { _ in order.withLock { $0.append(number) } }
          done.leave()
        }.start()
        try waitUntil(pool.waiterCount > before)
      }
      #expect(pool.connections == StoreConnections(limit: 1, inUse: 1, idle: 0, waiting: 8))
    }
    done.wait()
    #expect(order.withLock { $0 } == Array(0..<8))
    #expect(pool.connections == StoreConnections(limit: 1, inUse: 0, idle: 1, waiting: 0))
    pool.close()
  }

  @Test("a pool that is exhausted until the deadline says so, and works again afterwards")
  func exhausted() throws {
    let pool = try pool(limit: 1)
    try pool.withConnection { _ in
      let error = #expect(throws: PersistenceError.self) {
        try pool.withConnection(deadline: Deadline(after: 0.2)) { _ in }
      }
      #expect(error?.code == .storeBusy)
    }
    try pool.withConnection { _ in }
    #expect(pool.waiterCount == 0)
    pool.close()
  }

  @Test("many callers share few connections")
  func many() throws {
    var description = try Servers.description()
    description.options[StoreOption.connectionPoolMaxSize] = .integer(3)
    let notebook = try Notebook(description)
    try notebook.write("a")
    DispatchQueue.concurrentPerform(iterations: 100) { _ in
      #expect((try? notebook.codes()) == ["a"])
    }
    let store = try #require(notebook.store as? PostgreSQLStore)
    #expect((1...3).contains(store.pool.connectionCount))
    try notebook.close()
  }

  @Test("a closed pool refuses, and waits for who still uses a connection")
  func closed() throws {
    let pool = try pool(limit: 2)
    let isDone = Mutex(false)
    let began = DispatchSemaphore(value: 0)
    Thread {
      try? pool.withConnection { _ in
        began.signal()
        usleep(50_000)
        isDone.withLock { $0 = true }
      }
    }.start()
    began.wait()
    pool.close()
    #expect(isDone.withLock { $0 })
    #expect(throws: PersistenceError(.storeRemoved, "")) { try pool.withConnection { _ in } }
  }

  @Test("connections that were used are alike, and no transaction is left open")
  func clean() throws {
    let pool = try pool(limit: 1)
    let backend = try pool.withConnection { connection in
      try connection.run(.begin)
      #expect(connection.isInTransaction)
      return connection.backend
    }
    try pool.withConnection { connection in
      #expect(!connection.isInTransaction)
      // The transaction was ended, but not the connection.
      #expect(connection.backend == backend)
      try connection.run(.begin)
      try connection.rollBack()
      #expect(!connection.isInTransaction)
    }
    pool.close()
  }

  @Test(
    "when a server is lost, no connection of before is used again, idle or not (reliability 3.4)")
  func generations() throws {
    let pool = try pool(limit: 2)
    let (used, idle) = try pool.withConnection { first in
      let idle = try pool.withConnection { $0.backend }
      pool.invalidate()
      return (first.backend, idle)
    }
    let next = try pool.withConnection { first in
      [first.backend, try pool.withConnection { $0.backend }]
    }
    #expect(Set(next).isDisjoint(with: [used, idle]))
    pool.close()
  }

  @Test("an idle connection that the server has ended is not handed out (reliability 3.4)")
  func ended() throws {
    let pool = try pool(limit: 1)
    let backend = try pool.withConnection { $0.backend }
    let other = try RawSession(try #require(Servers.uri))
    try other.run(["SELECT pg_terminate_backend(\(backend))"])
    try waitUntil(other.rows("SELECT 1 FROM pg_stat_activity WHERE pid = \(backend)").isEmpty)
    try pool.withConnection { connection in
      #expect(connection.backend != backend)
      try connection.run(PostgreSQLCommand("SELECT 1"))
    }
    pool.close()
  }

  @Test("a pool of before a fork is refused after it")
  func forked() throws {
    let settings = try PostgreSQLURI.settings(try #require(Servers.uri))
    let pool = ConnectionPool(
      settings, timeout: 30, limit: 1, isReadOnly: false, process: ProcessGeneration.current - 1)
    let error = #expect(throws: PersistenceError.self) { try pool.withConnection { _ in } }
    #expect(error?.code == .persistentStoreOperation)
    #expect(pool.connectionCount == 0)
    pool.close()
  }
}
