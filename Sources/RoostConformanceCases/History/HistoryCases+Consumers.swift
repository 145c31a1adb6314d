// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization

extension HistoryCases {
  static let consumers: [ConformanceCase] = [
    company("follow", "who follows gets what is there, and then what comes (H12)") { stack in
      try stack.save("Ada")
      let token = try stack.token()
      try stack.save("Bob")
      let coordinator = stack.coordinator
      let all = Reading(coordinator.history(after: nil)) { $0.changes?.count }
      let later = Reading(coordinator.history(after: token)) { $0.changes?.count }
      try wait("what is there") { all.count == 2 && later.count == 1 }
      try stack.context.make("Person", ["name": "Cleo"])
      try stack.save("Dan")
      try wait("what comes") { all.count == 3 && later.count == 2 }
      try expectEqual(all.found, [1, 1, 2])
      try expectEqual(later.found, [1, 2])
      all.cancel()
      later.cancel()
      try wait("both end") { all.isOver && later.isOver }
      try expect(all.error == nil && later.error == nil, "without an error")
      try wait("and nobody is left") { coordinator.historyTicks.followerCount == 0 }
    },
    ConformanceCase(
      .history, "follow-others", "who follows gets what other coordinators save (H12, H30)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let mine = try stage.openTracking(model())
      try mine.save("Ada")
      let other = try stage.openSame(mine)
      let reading = Reading(mine.coordinator.history(after: nil)) { $0.author }
      try wait("what is there") { reading.count == 1 }
      for number in 0..<5 {
        other.context.transactionAuthor = "other \(number)"
        try other.save("p\(number)")
      }
      try wait("what comes") { reading.count == 6 }
      try expectEqual(reading.found.compactMap(\.self), (0..<5).map { "other \($0)" })
      reading.cancel()
      try wait("it ends") { reading.isOver }
    },
    company("follow-expired", "who follows from before what is kept gets the error (H10, H12)") {
      stack in
      try stack.save("Ada")
      let token = try stack.token()
      for number in 0..<3 { try stack.save("p\(number)") }
      _ = try stack.deleteHistory(before: try stack.token())
      let reading = Reading(stack.coordinator.history(after: token)) { $0.author }
      try wait("it ends") { reading.isOver }
      try expectEqual(reading.error?.code, .persistentHistoryTokenExpired)
    },
    company(
      "consumer", "a consumer goes on after what it has acknowledged (H12)", needs: [.reopening]
    ) { stack in
      for number in 0..<5 { try stack.save("p\(number)") }
      let all = try stack.history()
      let first = try stack.coordinator.consumer(named: "indexer")
      try expectEqual(try numbers(of: first, 5), all.map(\.transactionNumber), "all that is kept")
      try expectEqual(try numbers(of: first, 5).count, 5, "and again: nothing was acknowledged")
      try first.acknowledge(all[2])
      // An earlier acknowledgement does not move the bookmark back.
      try first.acknowledge(all[0])
      try expectEqual(try numbers(of: first, 2), all[3...].map(\.transactionNumber))
      try stack.reopen()
      let again = try stack.coordinator.consumer(named: "indexer")
      try expectEqual(try numbers(of: again, 2), all[3...].map(\.transactionNumber), "reopened")
      let other = try stack.coordinator.consumer(named: "other")
      try expectEqual(try numbers(of: other, 5).count, 5, "another one has its own place")
    },
    company("consumer-keeps", "what a consumer has not acknowledged is not deleted (H12)") {
      stack in
      for number in 0..<6 { try stack.save("p\(number)") }
      let all = try stack.history()
      let slow = try stack.coordinator.consumer(named: "slow")
      try expectEqual(try stack.deleteHistory(before: all[5].token), 0, "nothing acknowledged")
      try slow.acknowledge(all[1])
      let fast = try stack.coordinator.consumer(named: "fast")
      try fast.acknowledge(all[4])
      try expectEqual(try stack.deleteHistory(before: all[5].token), 2)
      try expectEqual(try numbers(of: slow, 4), all[2...].map(\.transactionNumber))
      try slow.acknowledge(all[5])
      let late = PersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      try expectEqual(try stack.context.execute(late).count, 3, "up to the other one")
      try expectEqual(try numbers(of: fast, 1), [all[5].transactionNumber])
      try fast.unregister()
      try expectEqual(try stack.context.execute(late).count, 1, "nobody waits for the rest")
    },
    company("consumer-forced", "who lost transactions hears it once, and goes on from then (H10)") {
      stack in
      for number in 0..<4 { try stack.save("p\(number)") }
      let all = try stack.history()
      let consumer = try stack.coordinator.consumer(named: "late")
      try consumer.acknowledge(all[0])
      let request = PersistentHistoryChangeRequest.deleteHistory(before: all[3].token)
      request.ignoresConsumers = true
      try expectEqual(try stack.context.execute(request).count, 3)
      let reading = Reading(consumer.events) { $0 }
      try wait("it hears of it") { reading.count == 1 }
      guard case .reset(let reset)? = reading.found.first else {
        throw ExpectationFailure(message: "no reset", file: #fileID, line: #line)
      }
      try expectEqual(reset.storeID, stack.coordinator.persistentStores[0].identity.identifier)
      try expectEqual(try stack.history(after: reset.token).count, 0, "it goes on from now")
      try stack.save("later")
      try wait("and goes on") { reading.count == 2 }
      // Not the same token: PostgreSQL's also contains transactions that had not committed yet.
      guard let last = reading.found.last?.token else { return }
      try expectEqual(try stack.history(after: last).count, 0, "the last one is what it told")
      try expectEqual(try stack.history(after: reset.token).count, 1, "and the only one")
      reading.cancel()
      // The reset is repeated until it is acknowledged, and then no more.
      try expect(try isReset(consumer, stack), "again")
      try consumer.acknowledge(reading.found[0])
      try expect(try !isReset(consumer, stack), "no more")
    },
    company("consumer-forced-new", "who has acknowledged nothing and lost something hears it (H10)")
    {
      stack in
      for number in 0..<4 { try stack.save("p\(number)") }
      let consumer = try stack.coordinator.consumer(named: "new")
      let early = try stack.coordinator.consumer(named: "early")
      let before = try require(try stack.history().first, "the first one").token
      // A deletion that removes nothing resets no consumer.
      try expectEqual(try deleteAll(before: before, in: stack), 0)
      try expectEqual(try numbers(of: consumer, 4).count, 4, "all of it")
      try expectEqual(try deleteAll(before: try stack.token(), in: stack), 3)
      try expect(try isReset(consumer, stack), "it hears of it")
      try expect(try isReset(early, stack), "so does the other one")
      let later = try stack.coordinator.consumer(named: "later")
      try expect(try !isReset(later, stack), "who came afterwards has lost nothing")
    },
    ConformanceCase(
      .history, "consumer-forced-reading",
      "who reads and lost what it has not heard hears of it (H10)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.openTracking(model())
      let mine = try stage.openMute(other)
      let consumer = try mine.coordinator.consumer(named: "new")
      let reading = Reading(consumer.events) { $0 }
      defer { reading.cancel() }
      try wait("it waits") { mine.coordinator.historyTicks.waiterCount == 1 }
      for number in 0..<4 { try other.save("p\(number)") }
      try expectEqual(try deleteAll(before: try other.token(), in: other), 3)
      RemoteChanges(to: mine.coordinator).look()
      try wait("it hears of it") { reading.count >= 1 || reading.isOver }
      guard case .reset? = reading.found.first else {
        throw ExpectationFailure(message: "no reset", file: #fileID, line: #line)
      }
      try other.save("later")
      RemoteChanges(to: mine.coordinator).look()
      try wait("and goes on") { reading.count == 2 || reading.isOver }
    },
    company("consumer-silent", "who is silent for 30 days holds nothing back (H12)") { stack in
      let ticks = stack.coordinator.historyTicks
      ticks.isTrimming = false
      let begin = Date.now.timeIntervalSinceReferenceDate
      for number in 0..<4 { try stack.save("p\(number)") }
      let all = try stack.history()
      let silent = try stack.coordinator.consumer(named: "silent")
      try silent.acknowledge(all[0])
      let done = try stack.coordinator.consumer(named: "done")
      try done.acknowledge(all[3])
      ticks.clock = { begin + 29 * 86_400 }
      try expectEqual(try stack.deleteHistory(before: all[3].token), 1, "after 29 days")
      ticks.clock = { begin + 31 * 86_400 }
      try expectEqual(try stack.deleteHistory(before: all[3].token), 2, "after 31 days")
      try expect(try isReset(silent, stack), "it hears of it")
      // A consumer that has acknowledged everything is not dropped.
      try stack.save("later")
      try expect(try numbers(of: done, 1).count > 0, "it goes on")
      // A bookmark without an acknowledgement does not hold transactions back for ever either.
      _ = try stack.coordinator.consumer(named: "never")
      ticks.clock = { begin + 62 * 86_400 }
      let request = PersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      try expect(try stack.context.execute(request).count > 0, "after 31 days more")
    },
    company("consumer-damaged", "a bookmark that is lost or of another history is a reset (H10)") {
      stack in
      try stack.save("Ada")
      let store = try require(stack.coordinator.persistentStores.first, "the store")
      let history = try require(store.history, "its history")
      let consumer = try stack.coordinator.consumer(named: "hurt")
      try consumer.acknowledge(try stack.token())
      try history.changeBookmarks { $0 = HistoryBookmarks(bytes: [1, 2, 3]) }
      try expect(try isReset(consumer, stack), "damaged")
      try consumer.acknowledge(try stack.token())
      try stack.save("Bob")
      try expectEqual(try numbers(of: consumer, 1).count, 1, "it goes on")
      let position = try history.position()
      let foreign = StorePosition(epoch: position.epoch ^ 1, place: position.place)
      try history.changeBookmarks { $0["hurt"]?.position = foreign }
      try expect(try isReset(consumer, stack), "another history")
      let count = try stack.history().count
      try expectEqual(
        try stack.deleteHistory(before: try stack.token()), count - 1, "it keeps nothing")
      try consumer.acknowledge(try stack.token())
      try expect(try !isReset(consumer, stack), "no more")
    },
    company("consumer-refused", "a consumer without a name is refused (H12)") { stack in
      for name in ["", "a\0b", String(repeating: "x", count: 256)] {
        try expectError(.invalidValue, "the name") {
          _ = try stack.coordinator.consumer(named: name)
        }
      }
      let names = try stack.coordinator.persistentStores[0].history?.bookmarks().names
      try expectEqual(names, [], "nothing is kept for it")
      _ = try stack.coordinator.consumer(named: String(repeating: "é", count: 127))
    },
    ConformanceCase(
      .history, "consumer-without", "a consumer of stores without a history is refused (H12)"
    ) { stage in
      let stack = try stage.open(model())
      try expectError(.persistentStoreUnsupportedRequestType, "the consumer") {
        _ = try stack.coordinator.consumer(named: "indexer")
      }
    },
    ConformanceCase(
      .history, "consumer-quiet",
      "an acknowledgement is no write of others, and none of records (H12, B289)",
      needs: [.history]
    ) { stage in
      var store = try stage.makeStore()
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      try store.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
      let stack = try stage.open(model(), on: [store])
      let listener = MessageCounter(stack.coordinator)
      try stack.save("Ada")
      let consumer = try stack.coordinator.consumer(named: "quiet")
      for _ in 0..<3 { try consumer.acknowledge(try stack.token()) }
      RemoteChanges(to: stack.coordinator).look()
      try expectEqual(try stack.history().count, 1, "the transactions")
      try stack.context.named("Person", "Ada").set("age", 1)
      try stack.context.save()
      // Messages come in order: with the second save's all that were sent before it are there.
      try wait("the saves are told") { listener.count >= 2 }
      try expectEqual(listener.count, 2, "one message a save")
    },
  ]

  /// Deletes transactions even if consumers have not acknowledged them, and returns their number.
  private static func deleteAll(
    before token: PersistentHistoryToken, in stack: ConformanceStack
  ) throws -> Int? {
    let request = PersistentHistoryChangeRequest.deleteHistory(before: token)
    request.ignoresConsumers = true
    return try stack.context.execute(request).count
  }

  /// The numbers of the next transactions that a consumer gets; a reset is a failure.
  private static func numbers(of consumer: HistoryConsumer, _ count: Int) throws -> [Int64] {
    let reading = Reading(consumer.events) { event -> Int64? in
      guard case .transaction(let transaction) = event else { return nil }
      return transaction.transactionNumber
    }
    defer { reading.cancel() }
    try wait("\(count) events") { reading.count >= count || reading.isOver }
    try expect(reading.error == nil, "the events end with \(reading.error as Any)")
    return try reading.found.map { try require($0, "a transaction, and no reset") }
  }

  /// Whether the first thing that a consumer gets is a reset, and not the next save.
  private static func isReset(
    _ consumer: HistoryConsumer, _ stack: ConformanceStack
  ) throws -> Bool {
    try stack.save("next")
    let reading = Reading(consumer.events) { $0 }
    defer { reading.cancel() }
    try wait("a first event") { reading.isOver || reading.count > 0 }
    try expect(reading.error == nil, "the events end with \(reading.error as Any)")
    if case .reset? = reading.found.first { return true }
    return false
  }
}

/// Reads a sequence in a task, until it is cancelled.
final class Reading<Found: Sendable>: Sendable {
  private struct State {
    var found: [Found] = []
    var isOver = false
    var error: PersistenceError?
  }

  private let state: Mutex<State>
  private let task: Mutex<Task<Void, Never>?>

  init<Source: AsyncSequence & Sendable>(
    _ source: Source, _ take: @escaping @Sendable (Source.Element) -> Found
  ) where Source.Element: Sendable {
    state = Mutex(State())
    task = Mutex(nil)
    let task = Task { [self] in
      do {
        for try await element in source {
          let found = take(element)
          state.withLock { $0.found.append(found) }
        }
        state.withLock { $0.isOver = true }
      } catch {
        state.withLock { state in
          state.isOver = true
          state.error = PersistenceError.wrapping(error, .persistentStoreOperation)
        }
      }
    }
    self.task.withLock { $0 = task }
  }

  func cancel() { task.withLock { $0 }?.cancel() }

  var found: [Found] { state.withLock { $0.found } }
  var count: Int { found.count }
  var isOver: Bool { state.withLock { $0.isOver } }
  var error: PersistenceError? { state.withLock { $0.error } }
}
