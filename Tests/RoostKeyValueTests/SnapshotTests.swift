// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests that a reader sees one snapshot, whatever is written meanwhile.
@Suite struct SnapshotTests: Sendable {
  let company: Company
  let store: KeyValueStore

  init() throws {
    company = try Company()
    store = try company.store()
  }

  func person(_ sequence: Int64, age: Int64, version: Int64 = 1) -> Row {
    let row = Row(
      layout: company.person.layout, key: company.key(sequence), version: version)
    row.setInteger(age, at: company.slot("age"))
    row.setDouble(Double(age), at: company.slot("score"))
    return row
  }

  @Test("a snapshot that is held does not change with a later commit")
  func held() throws {
    _ = try store.commit(StoreChangeSet(inserted: (1...100).map { person($0, age: $0) }))
    try store.engine.read { snapshot in
      _ = try store.commit(
        StoreChangeSet(
          inserted: [person(200, age: 1)],
          updated: (1...50).map {
            RowUpdate(
              row: person($0, age: 999, version: 2), baseVersion: 1,
              changedSlots: [company.slot("age").index])
          }, deleted: (51...100).map { RowVersion(key: company.key($0), version: 1) }))
      #expect(try snapshot.recordCount(ofEntityCode: 1) == 100)
      var ages: [Int64] = []
      try snapshot.scanRecords(ofEntityCode: 1, need: .wholeRows) { chunk in
        for index in 0..<chunk.count {
          ages.append(try #require(try chunk[index]).integer(company.slot("age")))
        }
        return true
      }
      #expect(ages == Array(1...100))
    }
    #expect(try store.engine.reading { try $0.recordCount(ofEntityCode: 1) } == 51)
  }

  @Test("readers beside a writer see whole commits only, in rows and in indexes")
  func concurrent() async throws {
    // Every commit sets all people to one age, so a reader that sees two ages has seen a partial commit.
    let count: Int64 = 60
    _ = try store.commit(StoreChangeSet(inserted: (1...count).map { person($0, age: 0) }))
    let progress = Progress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for version in 1...120 as ClosedRange<Int64> {
          let outcome = try store.commit(
            StoreChangeSet(
              updated: (1...count).map {
                RowUpdate(
                  row: person($0, age: version, version: version + 1), baseVersion: version,
                  changedSlots: [company.slot("age").index, company.slot("score").index].sorted())
              }))
          guard case .committed = outcome else {
            Issue.record("the only writer has no conflicts")
            break
          }
        }
        progress.isDone.store(true, ordering: .releasing)
      }
      for _ in 0..<3 {
        group.addTask {
          while !progress.isDone.load(ordering: .acquiring) {
            try check(count)
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    try check(count)
  }

  final class Progress: Sendable {
    let isDone = Atomic<Bool>(false)
  }

  func check(_ count: Int64) throws {
    guard
      case .rows(let rows) = try store.fetch(
        company.fetch(sort: [company.sort("age"), company.sort("score")])
      ).content
    else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(rows.count == count)
    #expect(Set(rows.map { $0.integer(company.slot("age")) }).count == 1)
    #expect(rows.allSatisfy { $0.integer(company.slot("age")) == Int64($0.version) - 1 })
    let byIndex = company.fetch(
      company.compare("score", .greaterThanOrEqualTo, .double(0)), result: .count)
    guard case .count(let found) = try store.fetch(byIndex).content else {
      Issue.record("The answer has another form.")
      return
    }
    #expect(found == count)
  }

  @Test("of two writers from one version one wins and the other one learns of it (B178)")
  func race() async throws {
    _ = try store.commit(StoreChangeSet(inserted: [person(1, age: 0)]))
    let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...8 as ClosedRange<Int64> {
        group.addTask {
          let outcome = try store.commit(
            StoreChangeSet(updated: [
              RowUpdate(
                row: person(1, age: number, version: 2), baseVersion: 1,
                changedSlots: [company.slot("age").index])
            ]))
          if case .committed = outcome { return true }
          return false
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wins == 1)
  }

  @Test("of two writers of one unique value one wins")
  func uniqueRace() async throws {
    let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...8 as ClosedRange<Int64> {
        group.addTask {
          let row = person(number, age: number)
          row.setString("same", at: company.slot("email"))
          if case .committed = try store.commit(StoreChangeSet(inserted: [row])) { return true }
          return false
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wins == 1)
  }
}
