// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostSQLite

/// Runs concurrent saves, so that a group commit writes them in one transaction.
enum SavesTogether {
  /// The outcome of each save.
  final class Ends: Sendable {
    let all = Mutex<[Int: Result<CommitOutcome, any Error>]>([:])
  }

  /// Commits change sets on separate threads, queued in order while another program locks the file; then releases the
  /// lock.
  static func commit(
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
      // The first one is the leader, the others queue behind it.
      try waitUntil(store.saves.isBusy && store.saves.waitingCount == index)
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

  /// Returns the outcome of a save as a word, or the number of its error.
  static func kind(_ end: Result<CommitOutcome, any Error>) -> String {
    switch end {
    case .success(.committed): "committed"
    case .success(.conflicted(let conflicts)):
      if case .version? = conflicts.first { "version" } else { "uniqueness" }
    case .failure(let error): "\((error as? PersistenceError)?.code.rawValue ?? 0)"
    }
  }
}
