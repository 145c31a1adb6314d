// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Testing

@testable import RoostCoordinator

@Suite("Row cache")
struct RowCacheTests {
  let company: Company
  let clock = TestClock()

  init() throws {
    company = try Company()
    try company.model.freeze()
  }

  private func row(_ key: Int64, version: Int64 = 1) -> Row {
    Row(layout: company.note.layout, key: key, version: version)
  }

  private func cache(smallestSweep: Int = 4096) -> RowCache {
    RowCache(smallestSweep: smallestSweep, now: { [clock] in clock.now })
  }

  @discardableResult
  private func load(_ rows: [Row], into cache: RowCache) -> [Row] {
    cache.keepingRows { (rows, ()) }.rows
  }

  private func commit(_ changes: StoreChangeSet, into cache: RowCache) {
    let reading = cache.beginReading()
    cache.commit(changes, of: reading)
    cache.end(reading)
  }

  @Test("rows are found by their keys, whatever is added and removed between (B51)")
  func tableKeepsItsEntries() {
    var table = RowTable()
    var expected: [Int64: Int64] = [:]
    var seed: UInt64 = 42
    for step in 1...20_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let key = Int64(seed >> 33 & 1023) << 12 | 7
      if seed >> 60 < 5 {
        table.remove(key)
        expected[key] = nil
      } else {
        table.set(row(key, version: Int64(step)), loadTime: 0)
        expected[key] = Int64(step)
      }
      if step % 1000 == 0 { check(table, expected) }
    }
    check(table, expected)
  }

  @Test("rows that come a few at a time do not move all others each time (B51)")
  func roomForPortions() {
    var table = RowTable()
    var sizes: Set<Int> = []
    for portion in 0..<200 {
      table.reserve(100)
      sizes.insert(table.capacity)
      for number in portion * 100..<portion * 100 + 100 {
        table.set(row(Int64(number) << 12 | 7), loadTime: 0)
      }
    }
    #expect(table.count == 20_000 && sizes.count < 20)
  }

  private func check(_ table: borrowing RowTable, _ expected: [Int64: Int64]) {
    #expect(table.count == expected.count)
    for number in 0..<1024 {
      let key = Int64(number) << 12 | 7
      let version = table.row(forKey: key, loadedSince: -.infinity)?.version
      #expect(version == expected[key])
    }
  }

  @Test("rows of one version are one instance for everybody (B51)")
  func equalVersionsAreShared() {
    let cache = cache()
    let first = load([row(8)], into: cache)[0]
    let second = load([row(8)], into: cache)[0]
    #expect(second.isIdentical(to: first))
  }

  @Test("a newer row replaces an older one, and never the other way round (B51)")
  func newerRowsWin() {
    let cache = cache()
    load([row(8, version: 3)], into: cache)
    let late = load([row(8, version: 2)], into: cache)[0]
    #expect(late.version == 2)
    #expect(cache.row(forKey: 8)?.version == 3)
    load([row(8, version: 4)], into: cache)
    #expect(cache.row(forKey: 8)?.version == 4)
  }

  @Test("a row is as old as the time since it was loaded (B50)")
  func rowsAge() {
    let cache = cache()
    load([row(8)], into: cache)
    clock.advance(10)
    #expect(cache.rows(forKeys: [8], notOlderThan: 10).missing.isEmpty)
    #expect(cache.rows(forKeys: [8], notOlderThan: 9).missing == [0])
    #expect(cache.rows(forKeys: [8], notOlderThan: -1).missing.isEmpty)
    load([row(8)], into: cache)
    #expect(cache.rows(forKeys: [8], notOlderThan: 9).missing.isEmpty)
  }

  @Test("an interval of 0 finds nothing, so the store is asked in any case (B50)")
  func zeroIntervalFindsNothing() {
    let cache = cache()
    load([row(8)], into: cache)
    #expect(cache.rows(forKeys: [8], notOlderThan: 0).missing == [0])
  }

  @Test("rows that nobody holds are let go when the cache has doubled, held ones stay (B326)")
  func sweepKeepsHeldRows() {
    let cache = cache(smallestSweep: 100)
    let held = load((1...60).map { row($0 << 12) }, into: cache)
    load((61...100).map { row($0 << 12) }, into: cache)
    #expect(cache.count == 100)
    load([row(101 << 12)], into: cache)
    #expect(cache.count == 61)
    #expect(held.allSatisfy { cache.row(forKey: $0.key)?.isIdentical(to: $0) == true })
  }

  @Test("rows that nobody holds are let go all at once, and the cache goes on")
  func sweepLetsAllGo() {
    let cache = cache(smallestSweep: 100)
    for number: Int64 in 1...1000 {
      load([row(number << 12)], into: cache)
      #expect(cache.row(forKey: number << 12)?.key == number << 12)
      #expect(cache.count <= 100)
    }
    #expect(cache.row(forKey: 500 << 12) == nil)
  }

  @Test("a row that a read brings is not kept when its record was deleted meanwhile")
  func readsDoNotResurrect() {
    let cache = cache()
    let result = cache.keepingRows {
      commit(StoreChangeSet(deleted: [RowVersion(key: 8, version: 1)]), into: cache)
      return ([row(8), row(16)], ())
    }
    #expect(result.rows.count == 2)
    #expect(cache.row(forKey: 8) == nil)
    #expect(cache.row(forKey: 16) != nil)
    load([row(8)], into: cache)
    #expect(cache.row(forKey: 8) != nil)
  }

  @Test("a read that fails leaves the cache as it was")
  func failedReadsLeaveNothing() {
    let cache = cache()
    let code = errorCode {
      _ = try cache.keepingRows { () -> (rows: [Row], result: Void) in
        commit(StoreChangeSet(deleted: [RowVersion(key: 8, version: 1)]), into: cache)
        throw PersistenceError(.persistentStoreOperation, "The disk is gone.")
      }
    }
    #expect(code == .persistentStoreOperation)
    load([row(8)], into: cache)
    #expect(cache.row(forKey: 8) != nil)
  }

  @Test("a commit replaces and removes rows")
  func commitsAreTakenOver() {
    let cache = cache()
    load([row(8), row(16)], into: cache)
    commit(
      StoreChangeSet(
        inserted: [row(8, version: 2)], deleted: [RowVersion(key: 16, version: 1)]),
      into: cache)
    #expect(cache.row(forKey: 8)?.version == 2)
    #expect(cache.row(forKey: 16) == nil)
  }

  // MARK: Readings that overlap

  @Test("commits that are told in another order than they were made leave the newest row (B362)")
  func commitsOutOfOrder() {
    let cache = cache()
    let (first, second) = (cache.beginReading(), cache.beginReading())
    cache.commit(StoreChangeSet(updated: [update(8, to: 3)]), of: second)
    cache.commit(StoreChangeSet(updated: [update(8, to: 2)]), of: first)
    #expect(cache.row(forKey: 8)?.version == 3)
  }

  @Test("a commit does not bring a record back that another one has deleted since (B362)")
  func commitsDoNotResurrect() {
    let cache = cache()
    let (writer, remover) = (cache.beginReading(), cache.beginReading())
    cache.commit(StoreChangeSet(deleted: [RowVersion(key: 8, version: 2)]), of: remover)
    cache.end(remover)
    cache.commit(StoreChangeSet(updated: [update(8, to: 2)]), of: writer)
    #expect(cache.row(forKey: 8) == nil)
  }

  @Test("a deletion is remembered for other readings, not for the commit that brings it (B362)")
  func deletionsOfTheOnlyReading() {
    let cache = cache()
    load([row(8)], into: cache)
    let alone = cache.beginReading()
    cache.commit(StoreChangeSet(deleted: [RowVersion(key: 8, version: 1)]), of: alone)
    #expect(cache.row(forKey: 8) == nil)
    #expect(cache.removalCount == 0)
    // The commit is still under way for the cache: who begins now must not bring back what the next one removes.
    let late = cache.beginReading()
    cache.commit(StoreChangeSet(deleted: [RowVersion(key: 16, version: 1)]), of: alone)
    cache.end(alone)
    var rows = [row(16)]
    cache.merge(&rows, of: late)
    #expect(cache.row(forKey: 16) == nil)
    cache.end(late)
    #expect(cache.removalCount == 0)
  }

  @Test("a deletion is remembered for all readings that began before it, and no longer")
  func removalsAreForgotten() {
    let cache = cache()
    let long = cache.beginReading()
    for key: Int64 in 1...100 {
      commit(StoreChangeSet(deleted: [RowVersion(key: key << 12, version: 1)]), into: cache)
      load([row(key << 12, version: 5)], into: cache)
    }
    #expect(cache.removalCount == 100)
    #expect(cache.row(forKey: 5 << 12)?.version == 5, "what is read later is kept")
    var late = [row(7 << 12, version: 9), row(777 << 12)]
    cache.merge(&late, of: long)
    #expect(cache.row(forKey: 7 << 12)?.version == 5)
    #expect(cache.row(forKey: 777 << 12) != nil)
    cache.end(long)
    // Deletions are dropped eventually, even if readings always overlap.
    var last = cache.beginReading()
    for key: Int64 in 1...100 {
      let next = cache.beginReading()
      cache.forget([key << 12])
      cache.end(last)
      last = next
      #expect(cache.removalCount <= 3)
    }
    cache.end(last)
    #expect(cache.removalCount == 0)
  }

  @Test("what a reading brings that began before everything was forgotten is not kept")
  func removalOfAll() {
    let cache = cache()
    let reading = cache.beginReading()
    cache.removeAll()
    var rows = [row(8)]
    cache.merge(&rows, of: reading)
    #expect(cache.row(forKey: 8) == nil)
    load([row(8)], into: cache)
    #expect(cache.row(forKey: 8) != nil)
  }

  @Test("a conflict replaces the row that it has proved stale, and forgets one that is gone (B362)")
  func conflictsAreLearned() {
    let cache = cache()
    load([row(8), row(16), row(24, version: 9)], into: cache)
    let reading = cache.beginReading()
    cache.learn(row(8, version: 4), ofKey: 8, of: reading)
    cache.learn(nil, ofKey: 16, of: reading)
    // The store was restored: its older version replaces the newer one in the cache.
    cache.learn(row(24, version: 2), ofKey: 24, of: reading)
    #expect(cache.row(forKey: 8)?.version == 4)
    #expect(cache.row(forKey: 16) == nil)
    #expect(cache.row(forKey: 24) == nil)
    cache.forget([32])
    cache.learn(row(32), ofKey: 32, of: reading)
    #expect(cache.row(forKey: 32) == nil, "it was deleted since")
  }

  private func update(_ key: Int64, to version: Int64) -> RowUpdate {
    RowUpdate(row: row(key, version: version), baseVersion: version - 1, changedSlots: [])
  }
}
