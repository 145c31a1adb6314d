// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import RoostModel
import RoostPostgreSQL
import RoostStore
import Testing

/// The control of the history cases: a history that reads transactions by their numbers.
@Suite("A history whose positions are numbers", .enabled(if: Servers.isThere))
struct NaiveHistoryTests {
  private static func harness(isNaive: Bool) throws -> StoreHarness {
    let uri = try #require(Servers.uri)
    return StoreHarness(isNaive ? "PostgreSQL by numbers" : "PostgreSQL") {
      var store = try PersistentStoreDescription.postgresql(
        uri, schema: "test_\(UUID().uuidString)")
      store.timeout = Servers.patience
      return isNaive ? store.forwarded { NaiveStore($0) } : store
    }
  }

  @Test("numbers as positions lose saves of a server, and the kit finds it (H8)")
  func kitFindsIt() throws {
    let reading = try #require(
      ConformanceCatalogue.all.first { $0.id == "history.together-reading" })
    let naive = ConformanceRun(try Self.harness(isNaive: true), cases: [reading])
    // The server determines which of two saves becomes visible first.
    #expect((1...40).contains { _ in naive.outcome(of: reading).isFailure })
    let exact = ConformanceRun(try Self.harness(isNaive: false), cases: [reading])
    for _ in 1...5 { #expect(!exact.outcome(of: reading).isFailure) }
  }
}

/// A store whose history continues after the largest number read.
private final class NaiveStore: ForwardingStore, @unchecked Sendable {
  // Sendable: it has no state of its own.
  override var history: (any StoreHistory)? { base.history.map(NaiveHistory.init) }

  override func forwarding(to base: any PersistentStore) -> (any PersistentStore)? {
    NaiveStore(base)
  }
}

private struct NaiveHistory: StoreHistory {
  let base: any StoreHistory

  private func position(_ number: Int64) -> StorePosition {
    StorePosition(epoch: 1, place: .number(number, digest: 0))
  }

  func position() throws -> StorePosition {
    position(try base.transactions(after: nil, limit: nil).map(\.number).max() ?? 0)
  }

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    var number: Int64 = 0
    if case .number(let last, _)? = position?.place { number = last }
    let found = try base.transactions(afterNumber: number, limit: nil).map { transaction in
      var transaction = transaction
      transaction.position = self.position(transaction.number)
      return transaction
    }
    return limit.map { Array(found.prefix($0)) } ?? found
  }

  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try base.deleteTransactions(deletion)
  }

  func size() throws -> HistorySize { try base.size() }

  func bookmarks() throws -> HistoryBookmarks { try base.bookmarks() }

  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    try base.changeBookmarks(change)
  }
}
