// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestEvolution
import Testing

@testable import RoostSQLite

/// Tests of divided evolutions beside which something happens.
@Suite("Divided evolutions of SQLite stores that are disturbed") struct DisturbedEvolutionTests {
  private struct Stop: Error {}

  private func filled() throws -> EvolvingFile {
    let file = try EvolvingFile(LargePeople.before(), batches: LargePeople.batches)
    try LargePeople.fill(file.evolving)
    return file
  }

  /// Returns a file whose evolution has ended after some commits.
  private func begun(after count: Int) throws -> EvolvingFile {
    let file = try filled()
    let dying = DyingCommits(after: count)
    try dying.install(in: file.evolving.store)
    _ = try? file.evolving.evolve(to: LargePeople.after())
    #expect(dying.isDead)
    file.evolving.store.close()
    return file
  }

  @Test(
    "what a program of the old version writes after a kill is in the new one (M50)",
    arguments: [1, 2, 5, 9, 12, 15])
  func writtenAfterKill(_ count: Int) throws {
    let file = try begun(after: count)
    let old = try file.second(LargePeople.before())
    try LargePeople.write(old)
    old.store.close()
    let next = try file.second(LargePeople.before())
    #expect(try next.evolve(to: LargePeople.after()))
    #expect(try next.contents() == LargePeople.written())
    #expect(LargePeople.schema(of: file)?.contains("_roost_evolution") == false)
  }

  @Test(
    "what a program of the old version writes between two transactions is in the new one (M34)",
    arguments: [1, 3, 8, 15])
  func writtenMeanwhile(_ number: Int) throws {
    let file = try filled()
    // Unsafe: the reporter is called on the thread of the test.
    nonisolated(unsafe) let other = try file.second(LargePeople.before())
    let reports = Mutex(0)
    let rows = RowCounter { _ in
      let isNow = reports.withLock { count in
        count += 1
        return count == number
      }
      if isNow { try LargePeople.write(other) }
    }
    #expect(try file.evolving.evolve(to: LargePeople.after(), reporter: rows.reporter))
    #expect(reports.withLock { $0 } > number)
    #expect(try file.evolving.contents() == LargePeople.written())
    let error = #expect(throws: PersistenceError.self) { try other.contents() }
    #expect(error?.code == .persistentStoreIncompatibleVersionHash)
  }

  @Test("another process that comes meanwhile takes it to the end, and the first finds it (M33)")
  func together() throws {
    let file = try filled()
    // Unsafe: the reporter is called on the thread of the test.
    nonisolated(unsafe) let other = try file.second(LargePeople.before())
    let (change, metadata) = try file.evolving.change(to: LargePeople.after())
    let reports = Mutex(0)
    let reporter = MigrationReporter { _ in
      let isNow = reports.withLock { count in
        count += 1
        return count == 9
      }
      guard isNow else { return }
      let isChanged = try other.evolve(to: LargePeople.after())
      #expect(isChanged)
    }
    let evolution = try #require(file.evolving.store.evolution)
    #expect(try !evolution.evolve(change, to: metadata, reporter: reporter))
    let whole = try filled()
    try whole.evolving.evolve(to: LargePeople.after())
    #expect(try other.contents() == whole.evolving.contents())
  }

  @Test(
    "another destination than the one that was begun is planned anew (M52)",
    arguments: [1, 4, 12])
  func otherDestination(_ count: Int) throws {
    let file = try begun(after: count)
    let other = try TestModel(
      .init(
        "Person", .attribute("name", .string),
        .attribute("share", .string, isOptional: false, value: "all")))
    let store = try file.second(LargePeople.before())
    #expect(try store.evolve(to: other))
    let contents = try store.contents()
    #expect(contents.count == Int(LargePeople.count))
    #expect(contents.first == "Person 1: name: \"person 1\", share: \"all\"")
    let schema = try #require(LargePeople.schema(of: file))
    #expect(!schema.contains("_roost_evolution") && !schema.contains("loud"), "\(schema)")
  }

  @Test(
    "a program of the old version that gets an attribute does not find other values in it (M52)")
  func otherNames() throws {
    let file = try begun(after: 12)
    let wider = try TestModel(
      .init(
        "Person", .attribute("name", .string), .attribute("age", .integer16),
        .attribute("gone", .string), .attribute("share", .double),
        .one("boss", "Person", inverse: "team"), .many("team", "Person", inverse: "boss")))
    let store = try file.second(wider)
    #expect(try store.contents().allSatisfy { !$0.contains("share") })
    #expect(LargePeople.schema(of: file)?.contains("_roost_evolution") == false)
  }

  /// The text of a journal.
  private static func journal(
    _ additions: String, step: Int = 0, isAbandoned: Bool = false
  ) -> String {
    #"{"plan":"x","destination":"x","sources":{},"additions":[\#(additions)],"#
      + #""step":\#(step),"position":0,"isAbandoned":\#(isAbandoned)}"#
  }

  @Test(
    "a hostile journal is an error, and nothing is removed (M53)",
    arguments: [
      "", "{}", "[1]", "null",
      Self.journal(#""#, step: -1, isAbandoned: false),
      Self.journal(#"{"kind":"table","place":"Person"}"#, step: 0, isAbandoned: true),
      Self.journal(
        #"{"kind":"column","place":"Person","part":"name"}"#, step: 0, isAbandoned: false),
      Self.journal(#"{"kind":"index","place":"Person"}"#, step: 0, isAbandoned: false),
      Self.journal(
        #"{"kind":"table","place":"a\"; DROP TABLE \"Person\"; --"}"#, step: 0, isAbandoned: true),
    ])
  func hostile(_ json: String) throws {
    let file = try begun(after: 9)
    let text = json.replacing("'", with: "''")
    #expect(RawDatabase(file.url).run("UPDATE _roost_evolution SET json = '\(text)'") == 0)
    let store = try file.second(LargePeople.before())
    let contents = try store.contents()
    #expect(contents.count == Int(LargePeople.count))
    let error = #expect(throws: PersistenceError.self) {
      try store.evolve(to: LargePeople.after())
    }
    #expect(error?.code == .corruptStore)
    #expect(try store.contents() == contents)
  }

  @Test("on a full disk it is an error, and goes on when there is room (M51)")
  func full() throws {
    let whole = try filled()
    try whole.evolving.evolve(to: LargePeople.after())
    let file = try begun(after: 3)
    let old = try file.second(LargePeople.before())
    let contents = try old.contents()
    let store = try #require(old.store as? SQLiteStore)
    try store.pool.write { connection in
      let pages = try connection.number("PRAGMA page_count") ?? 0
      _ = try connection.number("PRAGMA max_page_count=\(pages)")
    }
    let error = #expect(throws: PersistenceError.self) { try old.evolve(to: LargePeople.after()) }
    #expect(error?.code == .storeFull, "\(error as Any)")
    #expect(try old.contents() == contents)
    #expect(LargePeople.schema(of: file)?.contains("_roost_evolution") == true)
    try store.pool.write { _ = try $0.number("PRAGMA max_page_count=1000000") }
    #expect(try old.evolve(to: LargePeople.after()))
    #expect(try old.contents() == whole.evolving.contents())
  }

  @Test("cancelled, it goes on where it was, and its reports only grow (M25)")
  func cancelled() throws {
    let file = try filled()
    let contents = try file.evolving.contents()
    let whole = try filled()
    let all = RowCounter()
    try whole.evolving.evolve(to: LargePeople.after(), reporter: all.reporter)
    let reports = Mutex(0)
    let rows = RowCounter { _ in
      let isNow = reports.withLock { count in
        count += 1
        return count == 12
      }
      if isNow { throw Stop() }
    }
    #expect(throws: Stop.self) {
      try file.evolving.evolve(to: LargePeople.after(), reporter: rows.reporter)
    }
    #expect(try file.evolving.contents() == contents)
    let first = rows.count
    #expect(first > 0)
    let fractions = Mutex<[Double]>([])
    let rest = RowCounter(stepCount: whole.evolving.steps.count) { progress in
      fractions.withLock { $0.append(progress.fraction) }
    }
    #expect(try file.evolving.evolve(to: LargePeople.after(), reporter: rest.reporter))
    #expect(first + rest.count == all.count)
    let told = fractions.withLock { $0 }
    #expect(told == told.sorted())
    #expect(try file.evolving.contents() == whole.evolving.contents())
  }

  @Test("records that stand in the way end it, and nothing of it is left (M13)")
  func duplicates() throws {
    let file = try filled()
    let schema = LargePeople.schema(of: file)
    // The ages that are null become the same.
    let after = try TestModel(
      .init(
        "Person", unique: [["age"]], .attribute("name", .string),
        .attribute("age", .integer16, isOptional: false, value: 7),
        .attribute("gone", .string),
        .one("boss", "Person", inverse: "team"), .many("team", "Person", inverse: "boss")))
    let error = #expect(throws: PersistenceError.self) { try file.evolving.evolve(to: after) }
    #expect(error?.code == .migrationConstraintViolation)
    #expect(error?.objectIDs.isEmpty == false)
    #expect(LargePeople.schema(of: file) == schema)
  }

  @Test("each transaction writes about as much as it may (M23)")
  func sizes() throws {
    var bounds = EvolutionBatches()
    bounds.bytes = 40_000
    bounds.seconds = 10
    bounds.records = 100
    var size = BatchSize(bounds)
    // Records of 400 bytes.
    for _ in 0..<20 {
      size.adapt(pages: Int64(max(1, size.records / 10)), pageSize: 4_000, seconds: 0.001)
      #expect(size.records * 400 <= 40_000 * 2)
    }
    #expect(size.records >= 25)
    size.adapt(pages: 1, pageSize: 4_000, seconds: 100)
    #expect(size.records < 25)
  }
}
