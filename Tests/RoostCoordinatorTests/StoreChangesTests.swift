// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Adding and removing stores at the same time")
struct StoreChangesTests {
  /// Runs a body on a new thread; the returned group ends with it.
  private func thread(_ body: @escaping @Sendable () -> Void) -> DispatchGroup {
    let group = DispatchGroup()
    group.enter()
    Thread.detachNewThread {
      body()
      group.leave()
    }
    return group
  }

  @Test("who changes another place goes on, who changes the same one waits (F15)")
  func places() throws {
    let changes = StoreChanges(clock: { 0 })
    let order = Mutex<[String]>([])
    var same: DispatchGroup?
    try changes.alone(with: [.place("a")]) {
      thread { try? changes.alone(with: [.place("b")]) { order.withLock { $0.append("b") } } }
        .wait()
      same = thread {
        try? changes.alone(with: [.place("a"), .place("c")]) {
          order.withLock { $0.append("a, c") }
        }
      }
      // The same thread can enter again what it already holds.
      try changes.alone(with: [.place("a")]) { order.withLock { $0.append("again") } }
    }
    same?.wait()
    #expect(order.withLock { $0 } == ["b", "again", "a, c"])
  }

  @Test("of two that would wait for each other for ever one is told (F15)")
  func circle() throws {
    let changes = StoreChanges(clock: { 0 })
    let (hasA, hasB) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let refusals = Mutex(0)
    @Sendable func run(
      _ first: String, _ second: String, _ mine: DispatchSemaphore, _ other: DispatchSemaphore
    ) {
      do {
        try changes.alone(with: [.place(first)]) {
          mine.signal()
          other.wait()
          try changes.alone(with: [.place(second)]) {}
        }
      } catch let error as PersistenceError where error.code == .storeBusy {
        refusals.withLock { $0 += 1 }
      } catch {}
    }
    let groups = [thread { run("a", "b", hasA, hasB) }, thread { run("b", "a", hasB, hasA) }]
    for group in groups { group.wait() }
    #expect(refusals.withLock { $0 } == 1)
    try changes.alone(with: [.place("a"), .place("b")]) {}
  }
}
