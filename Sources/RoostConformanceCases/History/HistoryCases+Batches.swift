// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization

/// Histories that are read in batches.
extension HistoryCases {
  static let batches: [ConformanceCase] = [
    counted("in-batches", "a result in batches is the same, and is read as it is asked for (H14)") {
      stack, answers in
      for number in 0..<23 { try stack.save("p\(number)") }
      let all = try stack.history().map(described)
      for size in [1, 2, 7, 23, 24, 100] {
        let request = PersistentHistoryChangeRequest.fetchHistory(
          after: nil as PersistentHistoryToken?)
        request.fetchBatchSize = size
        let batches = try stack.context.fetchBatches(request)
        answers.begin()
        var found: [String] = []
        while let batch = try batches.next() {
          try expect(batch.count <= size, "\(batch.count) in a batch of \(size)")
          found += batch.map(described)
          try expect(answers.total <= found.count, "\(answers.total) read for \(found.count)")
        }
        try expectEqual(found, all, "in batches of \(size)")
        try expect(try batches.next() == nil, "it stays over")
        answers.begin()
        try expectEqual(
          try stack.context.execute(request).transactions?.map(described), all, "as a whole")
        try expect(answers.largest <= size, "\(answers.largest) read at once, of \(size)")
      }
    },
    counted("batches-count", "what is only counted is read in batches, too (H14)") {
      stack, answers in
      for number in 0..<10 { try stack.save("p\(number)") }
      for type in PersistentHistoryResultType.allCases {
        let whole = PersistentHistoryChangeRequest.fetchHistory(
          after: nil as PersistentHistoryToken?)
        whole.resultType = type
        let request = PersistentHistoryChangeRequest.fetchHistory(
          after: nil as PersistentHistoryToken?)
        request.resultType = type
        request.fetchBatchSize = 3
        answers.begin()
        let result = try stack.context.execute(request)
        try expect(answers.largest <= 3, "\(answers.largest) read at once for \(type)")
        let other = try stack.context.execute(whole)
        try expectEqual(result.count, other.count, "the count for \(type)")
        try expectEqual(result.objectIDs, other.objectIDs, "the objects for \(type)")
        try expectEqual(
          result.changes?.map(\.changeID), other.changes?.map(\.changeID), "the changes")
      }
    },
    counted("batches-fetch", "a fetch request is answered the same in batches (H14)") {
      stack, answers in
      for number in 0..<12 {
        stack.context.transactionAuthor = number.isMultiple(of: 3) ? "third" : "other"
        for person in 0...number % 3 { try stack.context.make("Person", ["name": "\(person)"]) }
        try stack.context.save()
      }
      let start = try stack.history()[1].token
      for listsChanges in [false, true] {
        for (limit, offset) in [(0, 0), (4, 0), (0, 3), (5, 2)] {
          for whole in [0, 2] {
            let request = PersistentHistoryChangeRequest.fetchHistory(after: start)
            let fetch =
              listsChanges
              ? PersistentHistoryChange.fetchRequest : PersistentHistoryTransaction.fetchRequest
            fetch.predicate = try FetchPredicate(
              listsChanges ? "transaction.author == 'other'" : "author == 'other'")
            (fetch.fetchLimit, fetch.fetchOffset) = (limit, offset)
            request.fetchRequest = fetch
            request.fetchLimit = whole
            let wanted = try stack.context.execute(request).transactions?.map(described)
            // The batch size of the fetch request is that of the request.
            fetch.fetchBatchSize = 2
            answers.begin()
            let found = try stack.context.execute(request).transactions?.map(described)
            try expect(answers.largest <= 2, "\(answers.largest) read at once")
            try expectEqual(found, wanted, "\(listsChanges) \(limit) \(offset) \(whole)")
            let batches = try stack.context.fetchBatches(request)
            var parts: [String] = []
            while let batch = try batches.next() { parts += batch.map(described) }
            try expectEqual(parts, wanted, "\(listsChanges) \(limit) \(offset) \(whole) in parts")
          }
        }
      }
    },
    counted("batches-later", "what is committed after the first batch is not in the result (H14)") {
      stack, _ in
      for number in 0..<5 { try stack.save("p\(number)") }
      let all = try stack.history().map(\.transactionNumber)
      let request = PersistentHistoryChangeRequest.fetchHistory(
        after: nil as PersistentHistoryToken?)
      request.fetchBatchSize = 2
      let batches = try stack.context.fetchBatches(request)
      var found = try batches.next()?.map(\.transactionNumber) ?? []
      try stack.save("later")
      while let batch = try batches.next() {
        found += batch.map(\.transactionNumber)
        try stack.save("later still")
        try expect(found.count <= all.count, "it ends")
      }
      try expectEqual(found, all)
    },
    counted("batches-deleted", "a batch that was deleted meanwhile is an error, and no gap (H10)") {
      stack, _ in
      for number in 0..<6 { try stack.save("p\(number)") }
      let request = PersistentHistoryChangeRequest.fetchHistory(
        after: nil as PersistentHistoryToken?)
      request.fetchBatchSize = 2
      let batches = try stack.context.fetchBatches(request)
      try expectEqual(try batches.next()?.count, 2)
      _ = try stack.deleteHistory(before: try stack.token())
      for _ in 0..<2 {
        try expectError(.persistentHistoryTokenExpired, "the next batch") {
          _ = try batches.next()
        }
      }
    },
    counted("batches-refused", "what cannot be read in batches is refused (H14)") { stack, _ in
      let deletion = PersistentHistoryChangeRequest.deleteHistory(before: Date.now)
      try expectError(.invalidRequest, "a deletion") {
        _ = try stack.context.fetchBatches(deletion)
      }
      let request = PersistentHistoryChangeRequest.fetchHistory(
        after: nil as PersistentHistoryToken?)
      request.fetchBatchSize = -1
      try expectError(.invalidRequest, "a negative size") {
        _ = try stack.context.execute(request)
      }
      try expectError(.invalidRequest, "a negative size") {
        _ = try stack.context.fetchBatches(request)
      }
      request.fetchBatchSize = 0
      request.affectedStoreIdentifiers = ["nowhere"]
      try expectError(.storeRemoved, "an unknown store") {
        _ = try stack.context.fetchBatches(request)
      }
    },
  ]

  /// A transaction with its changes as text.
  static func described(_ transaction: PersistentHistoryTransaction) -> String {
    let changes = (transaction.changes ?? []).map { "\($0.changeID) \($0.changeType)" }
    return "\(transaction.storeID) \(transaction.transactionNumber) \(changes)"
  }

  private static func counted(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, HistoryAnswers) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.history, name, title, needs: [.history]) { stage in
      let answers = HistoryAnswers()
      var store = try stage.makeStore().forwarded { CountedStore($0, answers) }
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      try body(try stage.open(model(), on: [store]), answers)
    }
  }
}

/// Counts the transactions that are read from a store.
private final class HistoryAnswers: Sendable {
  private let state = Mutex<(total: Int, largest: Int)>((0, 0))

  /// The number of transactions that were read, and the most that were read at once.
  var total: Int { state.withLock { $0.total } }
  var largest: Int { state.withLock { $0.largest } }

  func begin() { state.withLock { $0 = (0, 0) } }

  func note(_ found: [StoreTransaction]) -> [StoreTransaction] {
    state.withLock { $0 = ($0.total + found.count, max($0.largest, found.count)) }
    return found
  }
}

private final class CountedStore: ForwardingStore, @unchecked Sendable {
  // Sendable: constant.
  private let answers: HistoryAnswers

  init(_ base: any PersistentStore, _ answers: HistoryAnswers) {
    self.answers = answers
    super.init(base)
  }

  override var history: (any StoreHistory)? {
    base.history.map { CountedHistory(base: $0, answers: answers) }
  }
}

private struct CountedHistory: ForwardingHistory {
  let base: any StoreHistory
  let answers: HistoryAnswers

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    answers.note(try base.transactions(after: position, limit: limit))
  }
}
