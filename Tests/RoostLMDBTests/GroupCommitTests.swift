// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostKeyValue
@testable import RoostLMDB

/// Tests of group commit: waiting saves are written in one transaction.
@Suite struct GroupCommitTests {
  /// The outcome of each save.
  private final class Ends: Sendable {
    let all = Mutex<[Int: Result<CommitOutcome, any Error>]>([:])
  }

  /// Commits change sets on separate threads, which queue behind a writer, and then releases them.
  private func commitTogether(
    _ sets: [StoreChangeSet], in depot: Depot
  ) throws -> (ends: [Result<CommitOutcome, any Error>], transactions: UInt64) {
    let store = depot.store
    let engine = try #require((store as? KeyValueStore)?.engine as? LMDBEngine)
    let before = try engine.writeCount()
    let ends = Ends()
    let group = DispatchGroup()
    engine.environment.writerLock.lock()
    for (index, changes) in sets.enumerated() {
      group.enter()
      Thread.detachNewThread {
        let result = Result { try store.commit(changes) }
        ends.all.withLock { $0[index] = result }
        group.leave()
      }
      // The first one is the leader, the others queue behind it.
      try waitUntil(engine.writes.isBusy && engine.writes.waitingCount == index)
    }
    engine.environment.writerLock.unlock()
    group.wait()
    let all = ends.all.withLock { $0 }
    return (
      try sets.indices.map { try #require(all[$0]) }, try engine.writeCount() - before
    )
  }

  private func kind(_ end: Result<CommitOutcome, any Error>) -> String {
    switch end {
    case .success(.committed): "committed"
    case .success(.conflicted(let conflicts)):
      if case .version? = conflicts.first { "version" } else { "uniqueness" }
    case .failure(let error): "\((error as? PersistenceError)?.code.rawValue ?? 0)"
    }
  }

  private func renaming(_ row: Row, _ name: String, _ depot: Depot) -> StoreChangeSet {
    let changed = row.copy(version: row.version + 1)
    changed.setString(name, at: depot.model.slot("name"))
    return StoreChangeSet(updated: [
      RowUpdate(
        row: changed, baseVersion: row.version, changedSlots: [depot.model.slot("name").index])
    ])
  }

  @Test("saves that wait are one transaction, and each has its own outcome (B169, B175, B190)")
  func ownOutcomes() throws {
    let depot = try Depot { $0.timeout = 60 }
    let (ada, bob) = (try depot.insert(["ada"])[0], try depot.insert(["bob"])[0])
    let new = try depot.rows(["new", "new", "bob", "none"])
    let (ends, transactions) = try commitTogether(
      [
        StoreChangeSet(inserted: [new[0]]),
        renaming(ada, "first", depot),
        // A conflict: its version is outdated by the previous save.
        renaming(ada, "second", depot),
        // A conflict: the first save has taken its unique value.
        StoreChangeSet(inserted: [new[1]]),
        StoreChangeSet(deleted: [RowVersion(key: bob.key, version: 1)]),
        // The previous save has freed the unique value.
        StoreChangeSet(inserted: [new[2]]),
        StoreChangeSet(inserted: [
          Row(layout: depot.model.thing.layout, key: 1 << 40 | 4095, version: 1)
        ]),
      ], in: depot)
    #expect(
      ends.prefix(6).map(kind) == [
        "committed", "committed", "version", "uniqueness", "committed", "committed",
      ])
    #expect(throws: PersistenceError.self, "a key of no entity") { try ends[6].get() }
    #expect(transactions == 1)
    if case .success(.conflicted(let conflicts)) = ends[2],
      case .version(_, let expected, let current)? = conflicts.first
    {
      #expect(expected == 1 && current?.version == 2)
    }
    #expect(try depot.names().sorted() == ["bob", "first", "new"])
    try depot.reopen()
    #expect(try depot.names().sorted() == ["bob", "first", "new"])
  }

  @Test("a group for which the file has to grow is written once, in one transaction")
  func growing() throws {
    let depot = try Depot { $0.timeout = 60 }
    let sets = try (0..<8).map { number in
      StoreChangeSet(inserted: try depot.rows(["\(number)"], payload: 3 << 20))
    }
    let (ends, transactions) = try commitTogether(sets, in: depot)
    #expect(ends.allSatisfy { kind($0) == "committed" })
    #expect(transactions == 1)
    #expect(try depot.names() == (0..<8).map(String.init))
  }

  @Test("a save for which there is no room fails alone, and those that wait with it are made (F15)")
  func noRoom() throws {
    let depot = try Depot {
      $0.timeout = 60
      $0.options[LMDBOption.maximumSize] = .integer(4 << 20)
    }
    let sets = [
      StoreChangeSet(inserted: try depot.rows(["first"])),
      StoreChangeSet(inserted: try depot.rows(["large"], payload: 8 << 20)),
      StoreChangeSet(inserted: try depot.rows(["last"])),
    ]
    let (ends, _) = try commitTogether(sets, in: depot)
    let full = PersistenceError.Code.storeFull.rawValue
    #expect(ends.map(kind) == ["committed", "\(full)", "committed"])
    #expect(try depot.names() == ["first", "last"])
    try depot.reopen()
    #expect(try depot.names() == ["first", "last"])
  }
}
