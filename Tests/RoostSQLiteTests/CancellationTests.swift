// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostSQLite

@Suite("Requests to SQLite that are cancelled") struct CancellationTests {
  private static let cancelled = PersistenceError(.userCancelled, "")

  @Test("a statement in the middle of its work ends, and no other connection's does (F20)")
  func statement() throws {
    let office = try Office()
    try office.insert(office.names.person)
    let store = try #require(office.second() as? SQLiteStore)
    let endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    let long =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3000000) "
      + "SELECT count(*) FROM c"
    let neighbour = Mutex<Int64?>(nil)
    let group = DispatchGroup()
    for round in 0..<3 {
      let cancellation = RequestCancellation()
      group.enter()
      Thread {
        let count = try? store.pool.read { try $0.number(long) }
        neighbour.withLock { $0 = count ?? nil }
        group.leave()
      }.start()
      Thread {
        usleep(5_000)
        cancellation.cancel()
      }.start()
      let error = #expect(throws: SQLiteError.self) {
        _ = try store.pool.read(cancellation) { connection in
          if round > 0 { #expect(try connection.number("SELECT count(*) FROM Person") == 1) }
          return try connection.number(endless)
        }
      }
      #expect(error?.canMeanCancellation == true)
      group.wait()
      #expect(neighbour.withLock { $0 } == 3_000_000)
    }
    #expect(try store.pool.read { try $0.number("SELECT count(*) FROM Person") } == 1)
    store.close()
  }

  @Test(
    "whoever waits for another program's lock ends when it is cancelled, and can write later (F20)")
  func lock() throws {
    let office = try Office()
    let row = try office.row(office.names.person)
    let store = try office.second { $0.timeout = 600 }
    let other = RawDatabase(try #require(office.description.url))
    other.run("BEGIN IMMEDIATE")
    let cancellation = RequestCancellation()
    Thread {
      usleep(20_000)
      cancellation.cancel()
    }.start()
    #expect(throws: Self.cancelled) {
      try store.cancellable(by: cancellation).commit(StoreChangeSet(inserted: [row]))
    }
    other.run("COMMIT")
    #expect(try office.all(office.names.person).isEmpty)
    guard case .committed = try store.commit(StoreChangeSet(inserted: [row])) else {
      Issue.record("Nobody is in the way any more.")
      return
    }
    store.close()
    #expect(try office.all(office.names.person).count == 1)
  }

  @Test("who waits in line for another save of this process ends, and the line goes on (F20)")
  func line() throws {
    let office = try Office()
    let rows = try (0..<3).map { _ in try office.row(office.names.person) }
    let store = try #require(office.second { $0.timeout = 600 } as? SQLiteStore)
    let other = RawDatabase(try #require(office.description.url))
    other.run("BEGIN IMMEDIATE")
    let cancellations = rows.map { _ in RequestCancellation() }
    let ends = Mutex<[Int: String]>([:])
    let group = DispatchGroup()
    for index in rows.indices {
      group.enter()
      Thread {
        defer { group.leave() }
        do {
          _ = try store.cancellable(by: cancellations[index])
            .commit(StoreChangeSet(inserted: [rows[index]]))
          ends.withLock { $0[index] = "written" }
        } catch {
          let code = (error as? PersistenceError)?.code
          ends.withLock { $0[index] = code == .userCancelled ? "cancelled" : "\(error)" }
        }
      }.start()
      // The first one is the leader, the others queue behind it.
      try waitUntil(store.saves.isBusy && store.saves.waitingCount == index)
    }
    cancellations[1].cancel()
    try waitUntil(ends.withLock { $0[1] } != nil)
    #expect(store.saves.waitingCount == 1)
    cancellations[0].cancel()
    try waitUntil(ends.withLock { $0[0] } != nil)
    other.run("COMMIT")
    group.wait()
    #expect(ends.withLock { $0 } == [0: "cancelled", 1: "cancelled", 2: "written"])
    #expect(try office.all(office.names.person).map(\.key) == [rows[2].key])
    store.close()
  }
}
