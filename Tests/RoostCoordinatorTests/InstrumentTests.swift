// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Instruments of a coordinator")
struct InstrumentTests {
  @Test("an instrument is told of each operation's beginning and end")
  func pairs() throws {
    let (stack, store) = try Stack.withStore()
    let instrument = RecordingInstrument()
    stack.coordinator.instruments.add(instrument)
    let ids = try stack.insertPeople([("Ada", 36), ("Bob", 25)], into: store)
    _ = try stack.fetch(stack.people())
    _ = try stack.fetch(stack.people(result: .count))
    _ = try stack.coordinator.rows(for: ids, stalenessInterval: 0)
    _ = try stack.coordinator.existingRow(for: ids[0])
    #expect(instrument.isBalanced)
    #expect(
      instrument.began.map(\.kind) == [
        .reservation, .commit, .fetch, .evaluation, .count, .evaluation, .rows, .rows,
      ])
    #expect(instrument.ended.allSatisfy { $0.result.outcome.isSuccess })
    #expect(instrument.began.allSatisfy { $0.storeIdentifier == store.identity.identifier })
    #expect(instrument.began.allSatisfy { $0.storeName == "all" && $0.storeType == "Minimal" })
    let fetch = try #require(instrument.began.first { $0.kind == .fetch })
    #expect(fetch.entityName == "Person")
    #expect(fetch.detail == "rows of Person")
    let result = try #require(instrument.result(of: .fetch))
    #expect(result.rows == 2)
    #expect(result.statements == ["scan Person"])
    #expect(result.statement == "scan Person")
    #expect(result.plan?.steps == ["scan Person"])
    #expect(instrument.began.first { $0.kind == .commit }?.detail == "2 inserted")
    #expect(instrument.result(of: .commit)?.rows == 2)
    #expect(instrument.result(of: .rows)?.rows == 1)
  }

  @Test("without an instrument nobody asks what an operation is about")
  func silent() throws {
    let (stack, store) = try Stack.withStore()
    let attached = try stack.attached(store)
    func forbidden() -> OperationSubject {
      Issue.record("The subject was made.")
      return OperationSubject()
    }
    _ = try attached.asking(
      .rows, forbidden(), report: { _, _ in Issue.record("The report was made.") }
    ) {
      try $0.rows(forKeys: [])
    }
    _ = try attached.telling(.evaluation, forbidden()) { 1 }
    #expect(stack.coordinator.instruments.isEmpty)
    #expect(stack.coordinator.counters.rowRequests == 1)
  }

  @Test("operations end that fail, are in conflict, or meet a store that was removed")
  func failures() throws {
    let (stack, store) = try Stack.withStore()
    let instrument = RecordingInstrument()
    let ids = try stack.insertPeople([("Ada", 36)], into: store)
    let attached = try stack.attached(store)
    stack.coordinator.instruments.add(instrument)
    store.script.withLock { $0.commitFailure = PersistenceError(.storeFull, "full") }
    let update = stack.update(ids[0], name: "A", age: 1, from: 1)
    #expect(errorCode { try stack.commit(.updating([update])) } == .storeFull)
    let stale = stack.update(ids[0], name: "A", age: 1, from: 7)
    #expect(errorCode { try stack.commit(.updating([stale])) } == .managedObjectMerge)
    try stack.coordinator.remove(store)
    #expect(errorCode { _ = try attached.storedRows(forKeys: [1]) } == .storeRemoved)
    #expect(instrument.outcomes == ["commit storeFull", "commit conflict", "rows storeRemoved"])
    #expect(instrument.isBalanced)
    guard case .conflict(1) = instrument.ended[1].result.outcome else {
      Issue.record("The conflicts were not counted.")
      return
    }
  }

  @Test("a cancelled request is told as cancelled")
  func cancelled() throws {
    let (stack, _) = try Stack.withStore()
    let instrument = RecordingInstrument()
    stack.coordinator.instruments.add(instrument)
    let cancellation = RequestCancellation()
    cancellation.cancel()
    #expect(
      errorCode {
        try RequestScope.cancellable(by: cancellation) { _ = try stack.fetch(stack.people()) }
      } == .userCancelled)
    #expect(instrument.outcomes == ["fetch cancelled"])
    #expect(stack.coordinator.counters.fetches == 0)
  }

  @Test("two instruments hear the same; one that was removed hears no more")
  func removing() throws {
    let (stack, _) = try Stack.withStore()
    let (first, second) = (RecordingInstrument(), RecordingInstrument(hearsStatements: false))
    stack.coordinator.instruments.add(first)
    stack.coordinator.instruments.add(second)
    stack.coordinator.instruments.add(second)
    _ = try stack.fetch(stack.people())
    stack.coordinator.instruments.remove(first)
    _ = try stack.fetch(stack.people(result: .count))
    #expect(first.began.map(\.kind) == [.fetch, .evaluation])
    #expect(second.began.map(\.kind) == [.fetch, .evaluation, .count, .evaluation])
    #expect(first.began.map(\.id) == Array(second.began.prefix(2).map(\.id)))
    #expect(second.ended[0].result.statements == ["scan Person"])
    #expect(second.ended[2].result.statements.isEmpty, "nobody hears statements any more")
    #expect(second.ended[2].result.statement == "scan Person", "the plan has it")
    #expect(second.lines.isEmpty)
    stack.coordinator.instruments.remove(second)
    stack.coordinator.instruments.remove(second)
    #expect(stack.coordinator.instruments.isEmpty)
    _ = try stack.fetch(stack.people())
    #expect(second.ended.count == 4)
  }

  @Test("an operation ends for an instrument that was removed meanwhile")
  func removedMeanwhile() throws {
    let (stack, store) = try Stack.withStore()
    let instrument = RecordingInstrument()
    let instruments = stack.coordinator.instruments
    instruments.add(instrument)
    store.script.withLock { $0.duringFetch = { instruments.remove(instrument) } }
    _ = try stack.fetch(stack.people())
    #expect(instrument.began.map(\.kind) == [.fetch])
    #expect(instrument.isBalanced)
  }

  @Test("pairs are balanced while many threads ask, and instruments come and go")
  func concurrency() throws {
    let (stack, store) = try Stack.withStore()
    try stack.insertPeople([("Ada", 36)], into: store)
    let instrument = RecordingInstrument(hearsStatements: false)
    let guest = RecordingInstrument()
    stack.coordinator.instruments.add(instrument)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<25 {
        if thread == 0 {
          if round.isMultiple(of: 2) {
            stack.coordinator.instruments.add(guest)
          } else {
            stack.coordinator.instruments.remove(guest)
          }
        }
        _ = try? stack.fetch(stack.people())
      }
    }
    #expect(instrument.isBalanced)
    #expect(guest.isBalanced)
    #expect(instrument.began.count == 8 * 25 * 2)
    #expect(stack.coordinator.counters.fetches == 8 * 25)
  }

  @Test("the parts of an operation name it, and the callers are those that asked")
  func parts() throws {
    let (stack, store) = try Stack.withStore()
    try stack.insertPeople([("Ada", 36)], into: store)
    let instrument = RecordingInstrument()
    stack.coordinator.instruments.add(instrument)
    let line = CallSite(fileID: "Shop/Night.swift", line: 7)
    let caller = RequestCaller(
      contextName: "night", author: "import", callSite: line, isImplicit: false)
    _ = try caller.calling {
      try stack.coordinator.update(
        BatchUpdate(
          fetch: CoordinatorFetch(fetch: stack.people()), origin: StoreChangeSet.Origin()))
    }
    #expect(instrument.began.map(\.kind) == [.batchUpdate, .fetch, .evaluation, .commit])
    let batch = instrument.began[0]
    #expect(batch.parent == nil)
    #expect(batch.storeName == "" && batch.storeIdentifier == nil)
    #expect(instrument.began.dropFirst().allSatisfy { $0.parent == batch.id })
    #expect(instrument.began.allSatisfy { $0.contextName == "night" && $0.author == "import" })
    #expect(instrument.began.allSatisfy { $0.callSite == line })
    #expect(instrument.result(of: .batchUpdate)?.rows == 1)
    _ = try stack.fetch(stack.people())
    #expect(instrument.began.last?.contextName == nil)
  }

  @Test("the log shows each statement once, and what the plan adds to it")
  func log() throws {
    let (stack, store) = try Stack.withStore()
    let lines = Mutex<[String]>([])
    stack.coordinator.setLog { line in lines.withLock { $0.append(line.text) } }
    let instrument = RecordingInstrument()
    stack.coordinator.instruments.add(instrument)
    try stack.insertPeople([("Ada", 36)], into: store)
    _ = try stack.fetch(stack.people(where: stack.isOlder(than: 30)))
    let seen = lines.withLock { $0 }
    #expect(seen.filter { $0.contains("scan Person") } == ["scan Person"])
    #expect(
      seen.contains("memory: the condition\nmemory: the order")
        || seen.contains("memory: the condition"))
    #expect(instrument.lines == seen)
    #expect(try stack.attached(store).log.isRead)
    stack.coordinator.setLog { _ in }
    _ = try stack.fetch(stack.people())
    #expect(lines.withLock { $0 } == seen, "the new log has taken the place of the old one")
    stack.coordinator.setLog(nil)
    let log = try stack.attached(store).log
    #expect(log.isOn && !log.isRead, "an instrument that hears statements is no reader")
    stack.coordinator.instruments.remove(instrument)
    #expect(!log.isOn)
    #expect(stack.coordinator.instruments.isEmpty)
  }
}
