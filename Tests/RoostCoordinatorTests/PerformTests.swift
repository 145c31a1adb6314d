// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Coordinator queue")
struct PerformTests {
  @Test("blocks run one after another in the order of the calls (B228)")
  func order() throws {
    let stack = try Stack()
    let seen = Mutex<[Int]>([])
    for index in 0..<100 {
      stack.coordinator.perform { seen.withLock { $0.append(index) } }
    }
    let count = stack.coordinator.performAndWait { seen.withLock { $0.count } }
    #expect(count == 100)
    #expect(seen.withLock { $0 } == Array(0..<100))
  }

  @Test("performAndWait returns, throws, and runs at once within a block (B228, B225)")
  func reentrance() throws {
    let stack = try Stack()
    let value = try stack.coordinator.performAndWait {
      try stack.coordinator.performAndWait { try stack.addStore("a").identity.identifier }
    }
    #expect(stack.coordinator.persistentStores.map(\.identity.identifier) == [value])
    #expect(
      errorCode {
        try stack.coordinator.performAndWait { throw PersistenceError(.storeFull, "Full.") }
      } == .storeFull)
    // The queue is free again.
    stack.coordinator.performAndWait {}
  }

  @Test("the async form returns what the block returns, and throws what it throws (B225)")
  func asyncForm() async throws {
    let stack = try Stack()
    #expect(try await stack.coordinator.perform { 7 } == 7)
    await #expect(throws: PersistenceError.self) {
      try await stack.coordinator.perform { throw PersistenceError(.storeFull, "Full.") }
    }
  }

  @Test("while a block runs, requests of other threads wait, its own do not (B228)")
  func requestsWait() throws {
    let (stack, store) = try Stack.withStore()
    try stack.insertPeople([("Ada", 36)], into: store)
    let events = Mutex<[String]>([])
    let started = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    group.enter()
    try stack.coordinator.performAndWait {
      Thread.detachNewThread {
        started.signal()
        _ = try? stack.fetch(stack.people())
        events.withLock { $0.append("other") }
        group.leave()
      }
      started.wait()
      _ = try stack.fetch(stack.people())
      // The other thread has had time to go on if it could.
      Thread.sleep(forTimeInterval: 0.02)
      events.withLock { $0.append("own") }
    }
    group.wait()
    #expect(events.withLock { $0 } == ["own", "other"])
  }

  @Test("several readers and a writer are in a store at the same time (B226)")
  func parallelRequests() throws {
    let (stack, store) = try Stack.withStore()
    try stack.insertPeople([("Ada", 36)], into: store)
    let inside = Mutex(0)
    let met = DispatchSemaphore(value: 0)
    let together = Mutex(0)
    store.script.withLock { script in
      script.duringFetch = {
        let count = inside.withLock { count in
          count += 1
          return count
        }
        if count == 3 {
          // The last reader lets a writer pass, while all of them are reading.
          Thread.detachNewThread {
            _ = try? stack.insertPeople([("Bob", 25)], into: store)
            for _ in 0..<3 { met.signal() }
          }
        }
        if met.wait(timeout: .now() + 60) == .success { together.withLock { $0 += 1 } }
      }
    }
    Concurrently.run(3) { _ in _ = try? stack.fetch(stack.people()) }
    #expect(together.withLock { $0 } == 3)
  }
}
