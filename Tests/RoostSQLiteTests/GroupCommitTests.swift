// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostSQLite

/// Tests of group commit: waiting saves are written in one transaction.
@Suite struct GroupCommitTests {
  @Test("saves that wait are one transaction, and each has its own outcome (B169, B175, B190)")
  func ownOutcomes() throws {
    let office = try Office()
    let person = office.names.person
    let ada = try office.insert(person, ["nick": .string("ada"), "email": .string("a")])
    let bob = try office.insert(person, ["nick": .string("bob"), "email": .string("b")])
    let new = try (0..<3).map { try office.row(person, ["email": .string("new\($0)")]) }
    let taken = try office.row(person, ["email": .string("new0")])
    let (ends, transactions) = try SavesTogether.commit(
      [
        StoreChangeSet(inserted: [new[0]]),
        StoreChangeSet(updated: [office.update(ada, ["nick": .string("first")])]),
        // A conflict: its version is outdated by the previous save.
        StoreChangeSet(updated: [office.update(ada, ["nick": .string("second")])]),
        // A conflict: the first save has taken its unique value.
        StoreChangeSet(inserted: [taken, new[1]]),
        StoreChangeSet(deleted: [RowVersion(key: bob.key, version: 1)]),
        // It frees no value, and follows the save that does.
        StoreChangeSet(inserted: [new[2].setting(["email": .string("b")])]),
        StoreChangeSet(inserted: [
          Row(layout: person.layout, key: 1 << 40 | 4095, version: 1)
        ]),
      ], in: office)
    #expect(
      ends.prefix(6).map(SavesTogether.kind) == [
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
    let (ends, transactions) = try SavesTogether.commit(
      rows.map { StoreChangeSet(inserted: [$0]) }, in: office)
    #expect(ends.allSatisfy { SavesTogether.kind($0) == "committed" })
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
    let ends = SavesTogether.Ends()
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
    #expect(
      all.values.allSatisfy {
        SavesTogether.kind($0) == "\(PersistenceError.Code.storeBusy.rawValue)"
      })
    other.run("COMMIT")
    guard case .committed = try store.commit(StoreChangeSet(inserted: [rows[0]])) else {
      Issue.record("Nobody is in the way any more.")
      return
    }
  }
}
