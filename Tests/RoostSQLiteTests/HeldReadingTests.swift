// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestWaiting
import Testing

@testable import RoostSQLite

/// Tests that a read transaction kept open between requests shows no stale data, and blocks no other connection.
@Suite struct HeldReadingTests {
  @Test(
    "what another program writes is seen by the next request, also in a transaction that is held")
  func newest() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("0")])
    let other = RawDatabase(try #require(office.description.url))
    for number in 1...50 {
      #expect(other.run("UPDATE Person SET nick = '\(number)'") == 0)
      for _ in 0..<3 {
        let found = try office.store.rows(forKeys: [row.key])
        #expect(found.first?.text("nick") == "\(number)")
      }
    }
  }

  @Test("one request after the other shares a transaction, and a save ends it")
  func held() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    let pool = try #require(office.store as? SQLiteStore).pool
    for _ in 0..<2 { _ = try office.store.rows(forKeys: [row.key]) }
    #expect(try pool.read { $0.isHolding })
    let other = RawDatabase(try #require(office.description.url))
    _ = try office.store.commit(
      StoreChangeSet(updated: [office.update(row, ["nick": .string("b")])]))
    // No reader uses the WAL now, so it can be truncated at once.
    #expect(other.text("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
    #expect(try office.store.rows(forKeys: [row.key]).first?.text("nick") == "b")
  }

  @Test("the log is used again while somebody else writes and this store reads without a pause")
  func log() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    let url = try #require(office.description.url)
    let other = RawDatabase(url)
    other.run("PRAGMA synchronous=OFF")
    for number in 0..<6_000 {
      #expect(other.run("UPDATE Person SET nick = '\(number)'") == 0)
      _ = try office.store.rows(forKeys: [row.key])
    }
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: url.path + "-wal")[.size] as? Int)
    // SQLite checkpoints a WAL of 1,000 pages; without checkpoints it would have 6,000 by now.
    #expect(size < 2_000 * 4_096)
  }

  @Test("a transaction that nobody reads in ends by itself")
  func ending() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    let other = RawDatabase(try #require(office.description.url))
    for _ in 0..<3 { _ = try office.store.rows(forKeys: [row.key]) }
    try waitUntil(other.text("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
  }

  @Test("an error in a request ends the transaction, and the next request has its own")
  func error() throws {
    struct Refusal: Error {}
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    let pool = try #require(office.store as? SQLiteStore).pool
    for _ in 0..<2 { _ = try office.store.rows(forKeys: [row.key]) }
    #expect(throws: Refusal.self) { try pool.read { _ in throw Refusal() } }
    #expect(try office.store.rows(forKeys: [row.key]).count == 1)
  }
}
