// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostCoordinator

@Suite("Removing stores")
struct RemovalTests {
  @Test("a removed store is closed, and its observers learn it (B235)")
  func remove() throws {
    let (stack, store) = try Stack.withStore()
    let observer = RecordingObserver()
    stack.coordinator.addObserver(observer)
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    try stack.coordinator.remove(store)
    #expect(store.isClosed)
    #expect(stack.coordinator.persistentStores.isEmpty)
    #expect(observer.removed.withLock { $0.map(\.identifier) } == [store.identity.identifier])
    #expect(errorCode { _ = try stack.coordinator.rows(for: [id]) } == .storeRemoved)
    #expect(stack.coordinator.cachedRow(for: id) == nil)
    let request = CommitRequest.updating([stack.update(id, name: "Ada", age: 1, from: 1)])
    #expect(errorCode { try stack.commit(request) } == .storeRemoved)
    #expect(errorCode { try stack.coordinator.remove(store) } == .storeRemoved)
  }

  @Test("a store of another coordinator cannot be removed here")
  func foreignStore() throws {
    let (stack, store) = try Stack.withStore()
    let (other, _) = try Stack.withStore()
    #expect(errorCode { try other.coordinator.remove(store) } == .storeRemoved)
    #expect(!store.isClosed)
    #expect(stack.coordinator.persistentStores.count == 1)
  }

  @Test("removing waits for the requests under way; later ones are refused (B235)")
  func waitsForRequests() throws {
    let (stack, store) = try Stack.withStore()
    try stack.insertPeople([("Ada", 36)], into: store)
    let attached = try stack.attached(store)
    let (entered, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let events = Mutex<[String]>([])
    store.script.withLock { script in
      script.duringFetch = {
        entered.signal()
        mayLeave.wait()
        events.withLock { $0.append("fetched") }
      }
    }
    let group = DispatchGroup()
    for task in [
      { @Sendable in
        let names = (try? stack.fetch(stack.people())).map(stack.names)
        events.withLock { $0.append(names == ["Ada"] ? "answered" : "failed") }
      },
      { @Sendable in
        entered.wait()
        try? stack.coordinator.remove(store)
        events.withLock { $0.append("removed") }
      },
    ] {
      group.enter()
      Thread.detachNewThread {
        task()
        group.leave()
      }
    }
    try waitUntil(attached.isRemoved)
    #expect(!store.isClosed)
    #expect(
      errorCode { _ = try attached.requesting { try $0.rows(forKeys: []) } } == .storeRemoved)
    mayLeave.signal()
    group.wait()
    let order = events.withLock { $0 }
    #expect(order.first == "fetched")
    #expect(Set(order) == ["fetched", "answered", "removed"])
    #expect(store.isClosed)
  }

  @Test("a store that was removed can be added again, and its objects are found (B25)")
  func addAgain() throws {
    let (stack, store) = try Stack.withStore()
    let id = try stack.insertPeople([("Ada", 36)], into: store)[0]
    try stack.coordinator.remove(store)
    try stack.addStore("all")
    #expect(try stack.coordinator.rows(for: [id])[0] != nil)
    let fresh = try stack.insertPeople([("Bob", 1)], into: stack.coordinator.persistentStores[0])
    #expect(fresh[0] != id)
  }

  @Test("a coordinator that goes away closes its stores")
  func deinitialisation() throws {
    let driver = MinimalDriver()
    do {
      let stack = try Stack(driver: driver)
      try stack.addStore("a")
    }
    #expect(driver.stores.withLock { $0[0].isClosed })
  }

  @Test("adding, removing, fetching and saving at once keeps every answer whole")
  func stress() throws {
    let stack = try Stack()
    let steady = try stack.addStore("steady")
    try stack.insertPeople((0..<50).map { ("P\($0)", $0) }, into: steady)
    let wrong = Mutex(0)
    Concurrently.run(6) { index in
      for round in 0..<30 {
        if index < 2 {
          guard let store = try? stack.addStore("s\(index)") else { continue }
          _ = try? stack.insertPeople([("X", 1)], into: store)
          try? stack.coordinator.remove(store)
        } else if index == 2 {
          _ = try? stack.insertPeople([("Y\(round)", 1)], into: steady)
        } else {
          do {
            let names = stack.names(try stack.fetch(stack.people(sortedBy: ["name"])))
            if names.count(where: { $0.hasPrefix("P") }) != 50 { wrong.withLock { $0 += 1 } }
          } catch let error as PersistenceError {
            if error.code != .storeRemoved { wrong.withLock { $0 += 1 } }
          } catch {
            wrong.withLock { $0 += 1 }
          }
        }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
    #expect(stack.coordinator.persistentStores.count == 1)
  }
}
