// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestEvolution
import Testing

@testable import RoostSQLite

@Suite("Evolutions of SQLite stores that are cancelled while a statement runs")
struct CancelledEvolutionTests {
  /// Counts what SQLite does in a statement, and cancels in the middle of it.
  private final class Watch: Sendable {
    let cancellation = RequestCancellation()
    let isBegun = Mutex(false)
    let counts = Mutex((before: 0, after: 0))

    /// Asked by SQLite after each hundred instructions.
    func work() {
      guard isBegun.withLock({ $0 }) else { return }
      let isNow = counts.withLock { counts in
        if cancellation.isCancelled { counts.after += 1 } else { counts.before += 1 }
        return counts.before == 20
      }
      if isNow { cancellation.cancel() }
    }

    func install(in store: SQLiteStore) throws {
      let context = Unmanaged.passUnretained(self).toOpaque()
      try store.pool.write { connection in
        sqlite3_progress_handler(
          connection.handle, 100,
          { context in
            if let context { Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().work() }
            return 0
          }, context)
      }
    }

    func remove(from store: SQLiteStore) throws {
      try store.pool.write { sqlite3_progress_handler($0.handle, 0, nil, nil) }
    }
  }

  @Test("a plan that is cancelled ends in the middle of a statement (M25)")
  func plan() throws {
    let name = TestModel.Property.attribute("name", .string)
    let before = try TestModel(.init("Person", name))
    let file = try filled(before)
    let store = try #require(file.evolving.store as? SQLiteStore)
    let watch = Watch()
    try watch.install(in: store)
    let (change, _) = try file.evolving.change(
      to: TestModel(.init("Person", unique: [["name"]], name)))
    watch.isBegun.withLock { $0 = true }
    let evolution = try #require(store.cancellable(by: watch.cancellation).evolution)
    #expect(throws: RequestCancellation.error) { try evolution.steps(of: change) }
    #expect(watch.counts.withLock { $0 } == (20, 0))
    try watch.remove(from: store)
    #expect(try #require(store.evolution).steps(of: change).count == 1)
  }

  private func filled(_ version: TestModel) throws -> EvolvingFile {
    let file = try EvolvingFile(version)
    let layout = version.entity("Person").layout
    _ = try file.evolving.store.reserveSequences(5_000)
    try file.evolving.commit(
      StoreChangeSet(
        inserted: (1...5_000).map { number in
          Row(layout: layout, key: file.evolving.key("Person", Int64(number)), version: 1)
        }))
    return file
  }

  @Test(
    "the statement is ended, the file is as it was, and the next evolution succeeds (M25, M51)",
    arguments: ["drop", "fill"])
  func inStatement(_ step: String) throws {
    let before = try TestModel(
      .init("Person", .attribute("name", .string), .attribute("age", .integer16)))
    let after =
      step == "drop"
      ? try TestModel(.init("Person", .attribute("name", .string)))
      : try TestModel(
        .init(
          "Person", .attribute("name", .string),
          .attribute("age", .integer16, isOptional: false, value: .integer(7))))
    let file = try filled(before)
    let contents = try file.evolving.contents()
    let store = try #require(file.evolving.store as? SQLiteStore)
    let watch = Watch()
    try watch.install(in: store)
    let (change, metadata) = try file.evolving.change(to: after)
    let reporter = MigrationReporter { _ in watch.isBegun.withLock { $0 = true } }
    let evolution = try #require(store.cancellable(by: watch.cancellation).evolution)
    let error = #expect(throws: PersistenceError.self) {
      try evolution.evolve(change, to: metadata, reporter: reporter)
    }
    #expect(error?.code == .userCancelled)
    let counts = watch.counts.withLock { $0 }
    #expect(counts.before == 20)
    // Without the interruption the statement would go on for thousands of instructions.
    #expect(counts.after <= 1)
    try watch.remove(from: store)
    #expect(try file.evolving.contents() == contents)
    #expect(try file.evolving.evolve(to: after))
    #expect(try file.evolving.contents().count == 5_000)
  }
}
