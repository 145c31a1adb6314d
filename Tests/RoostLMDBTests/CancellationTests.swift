// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostKeyValue
@testable import RoostLMDB

@Suite("Writers of LMDB that are cancelled") struct CancellationTests {
  /// Returns the outcome of a save as a word.
  private static func end(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "written"
    } catch {
      let code = (error as? PersistenceError)?.code
      return code == .userCancelled ? "cancelled" : "\(error)"
    }
  }

  @Test("who leads or waits in line ends when it is cancelled, and the others are written (F20)")
  func line() throws {
    let depot = try Depot { $0.timeout = 600 }
    let store = depot.store
    let engine = try #require((store as? KeyValueStore)?.engine as? LMDBEngine)
    let names = ["leader", "second", "third"]
    let sets = try names.map { StoreChangeSet(inserted: try depot.rows([$0])) }
    let cancellations = names.map { _ in RequestCancellation() }
    let ends = Mutex<[Int: String]>([:])
    let group = DispatchGroup()
    engine.environment.writerLock.lock()
    for index in names.indices {
      group.enter()
      Thread.detachNewThread {
        let end = Self.end {
          _ = try store.cancellable(by: cancellations[index]).commit(sets[index])
        }
        ends.withLock { $0[index] = end }
        group.leave()
      }
      try waitUntil(engine.writes.isBusy && engine.writes.waitingCount == index)
    }
    cancellations[1].cancel()
    try waitUntil(ends.withLock { $0[1] } != nil)
    #expect(engine.writes.waitingCount == 1)
    cancellations[0].cancel()
    try waitUntil(ends.withLock { $0[0] } != nil)
    engine.environment.writerLock.unlock()
    group.wait()
    #expect(ends.withLock { $0 } == [0: "cancelled", 1: "cancelled", 2: "written"])
    #expect(try depot.names() == ["third"])
  }

  @Test("who waits for another process ends when it is cancelled (F20)")
  func process() throws {
    let depot = try Depot { $0.timeout = 600 }
    let engine = try #require((depot.store as? KeyValueStore)?.engine as? LMDBEngine)
    let changes = StoreChangeSet(inserted: try depot.rows(["a"]))
    // Another descriptor has separate locks, as another process has.
    let other = open(engine.environment.location.lockPath, O_RDONLY | O_CLOEXEC)
    defer { close(other) }
    try #require(other >= 0 && flock(other, LOCK_EX) == 0)
    let cancellation = RequestCancellation()
    Thread.detachNewThread {
      usleep(20_000)
      cancellation.cancel()
    }
    #expect(throws: PersistenceError(.userCancelled, "")) {
      try depot.store.cancellable(by: cancellation).commit(changes)
    }
    flock(other, LOCK_UN)
    #expect(try depot.names().isEmpty)
    guard case .committed = try depot.store.commit(changes) else {
      Issue.record("Nobody is in the way any more.")
      return
    }
    #expect(try depot.names() == ["a"])
  }
}
