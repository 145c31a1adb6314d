// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostSQLite

/// Saves that wait for each other are written in one transaction.
@Suite struct GroupCommitTests {
  /// What became of each save.
  private final class Ends: Sendable {
    let all = Mutex<[Int: Result<CommitOutcome, any Error>]>([:])
  }

  /// Commits change sets on threads of their own while another program keeps the file, in their order in line; then
  /// lets them all in.
  private func commitTogether(
    _ sets: [StoreChangeSet], in office: Office
  ) throws -> (ends: [Result<CommitOutcome, any Error>], transactions: Int) {
    let store = try #require(office.store as? SQLiteStore)
    let other = RawDatabase(try #require(office.description.url))
    let ends = Ends()
    let group = DispatchGroup()
    let log = TransactionCount()
    try log.observe(store)
    other.run("BEGIN IMMEDIATE")
    for (index, changes) in sets.enumerated() {
      group.enter()
      Thread.detachNewThread {
        let result = Result { try store.commit(changes) }
        ends.all.withLock { $0[index] = result }
        group.leave()
      }
      // The first one leads, the others stand in line behind it.
      while !store.saves.isBusy || store.saves.waitingCount < index {
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
    other.run("COMMIT")
    group.wait()
    let all = ends.all.withLock { $0 }
    return (try sets.indices.map { try #require(all[$0]) }, log.count)
  }

  /// Counts the transactions that a store's writer commits.
  private final class TransactionCount {
    private let number = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    init() { number.initialize(to: 0) }
    deinit { number.deallocate() }

    var count: Int { number.pointee }

    func observe(_ store: SQLiteStore) throws {
      let number = number
      try store.pool.write { connection in
        _ = sqlite3_commit_hook(
          connection.handle,
          { context in
            context?.assumingMemoryBound(to: Int.self).pointee += 1
            return 0
          }, number)
      }
    }
  }

  private func kind(_ end: Result<CommitOutcome, any Error>) -> String {
    switch end {
    case .success(.committed): "committed"
    case .success(.conflicted(let conflicts)):
      if case .version? = conflicts.first { "version" } else { "uniqueness" }
    case .failure(let error): "\((error as? PersistenceError)?.code.rawValue ?? 0)"
    }
  }

  @Test("saves that wait are one transaction, and each has its own outcome (B169, B175, B190)")
  func ownOutcomes() throws {
    let office = try Office()
    let person = office.names.person
    let ada = try office.insert(person, ["nick": .string("ada"), "email": .string("a")])
    let bob = try office.insert(person, ["nick": .string("bob"), "email": .string("b")])
    let new = try (0..<3).map { try office.row(person, ["email": .string("new\($0)")]) }
    let taken = try office.row(person, ["email": .string("new0")])
    let (ends, transactions) = try commitTogether(
      [
        StoreChangeSet(inserted: [new[0]]),
        StoreChangeSet(updated: [office.update(ada, ["nick": .string("first")])]),
        // It was made from the version that the one before it has changed.
        StoreChangeSet(updated: [office.update(ada, ["nick": .string("second")])]),
        // Its value is taken by the first.
        StoreChangeSet(inserted: [taken, new[1]]),
        StoreChangeSet(deleted: [RowVersion(key: bob.key, version: 1)]),
        // It frees nothing, and comes after the one that does.
        StoreChangeSet(inserted: [new[2].setting(["email": .string("b")])]),
        StoreChangeSet(inserted: [
          Row(layout: person.layout, key: 1 << 40 | 4095, version: 1)
        ]),
      ], in: office)
    #expect(
      ends.prefix(6).map(kind) == [
        "committed", "committed", "version", "uniqueness", "committed", "committed",
      ])
    #expect(throws: PersistenceError.self, "a key of no entity") { try ends[6].get() }
    #expect(transactions == 1)
    if case .success(.conflicted(let conflicts)) = ends[2],
      case .version(_, let expected, let current)? = conflicts.first
    {
      #expect(expected == 1 && current?.version == 2 && current?.text("nick") == "first")
    }
    let emails = try office.all(person).compactMap { $0.text("email") }.sorted()
    #expect(emails == ["a", "b", "new0"], "nothing of a refused save is there")
    #expect(try office.all(person).compactMap { $0.text("nick") } == ["first"])
  }

  @Test("eight saves that wait need one transaction, and a save alone one as well")
  func oneTransaction() throws {
    let office = try Office()
    let rows = try (0..<8).map { _ in try office.row(office.names.person) }
    let (ends, transactions) = try commitTogether(
      rows.map { StoreChangeSet(inserted: [$0]) }, in: office)
    #expect(ends.allSatisfy { kind($0) == "committed" })
    #expect(transactions == 1)
    #expect(try office.all(office.names.person).count == 8)
    try office.reopen()
    #expect(try office.all(office.names.person).count == 8)
  }

  @Test("whoever waited until the time was over gives up together with the one that led")
  func timeOut() throws {
    let office = try Office()
    let store = try #require(try office.second { $0.timeout = 0.05 } as? SQLiteStore)
    defer { store.close() }
    let other = RawDatabase(try #require(office.description.url))
    let rows = try (0..<4).map { _ in try office.row(office.names.person) }
    other.run("BEGIN IMMEDIATE")
    let ends = Ends()
    let group = DispatchGroup()
    for (index, row) in rows.enumerated() {
      group.enter()
      Thread.detachNewThread {
        let result = Result { try store.commit(StoreChangeSet(inserted: [row])) }
        ends.all.withLock { $0[index] = result }
        group.leave()
      }
    }
    group.wait()
    let all = ends.all.withLock { $0 }
    #expect(all.values.allSatisfy { kind($0) == "\(PersistenceError.Code.storeBusy.rawValue)" })
    other.run("COMMIT")
    guard case .committed = try store.commit(StoreChangeSet(inserted: [rows[0]])) else {
      Issue.record("Nobody is in the way any more.")
      return
    }
  }
}
