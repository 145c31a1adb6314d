// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostCoordinator

@Suite("Commits at the same time")
struct CommitGateTests {
  @Test("who shares a gate is inside with others, who locks it is alone, and nobody is passed by")
  func order() throws {
    let gate = CommitGate()
    let order = Mutex<[String]>([])
    try gate.sharing {
      // Any number of threads can share the same gate.
      gate.sharing { order.withLock { $0.append("two") } }
      let group = DispatchGroup()
      for (index, name) in ["alone", "late"].enumerated() {
        group.enter()
        Thread.detachNewThread {
          if name == "alone" {
            gate.lock()
            order.withLock { $0.append(name) }
            gate.unlock()
          } else {
            gate.sharing { order.withLock { $0.append(name) } }
          }
          group.leave()
        }
        try waitUntil(gate.waiterCount > index)
      }
      order.withLock { $0.append("first") }
    }
    try waitUntil(order.withLock { $0.count } == 4)
    #expect(order.withLock { $0 } == ["two", "first", "alone", "late"])
  }

  @Test("many threads that share and lock two gates in order all come to an end")
  func noDeadlock() {
    let gates = [CommitGate(), CommitGate()]
    let inside = Mutex(0)
    let wasAlone = Mutex(true)
    Concurrently.run(8) { worker in
      for round in 0..<200 {
        if (worker + round) % 3 == 0 {
          for gate in gates { gate.lock() }
          if inside.withLock({ $0 }) != 0 { wasAlone.withLock { $0 = false } }
          for gate in gates.reversed() { gate.unlock() }
        } else {
          gates[round % 2].sharing {
            inside.withLock { $0 += 1 }
            inside.withLock { $0 -= 1 }
          }
        }
      }
    }
    #expect(wasAlone.withLock { $0 })
  }

  @Test("threads that find no keys left reserve a block each, and no key is given twice or lost")
  func reservoir() throws {
    let reservoir = KeyReservoir()
    let last = Mutex<Int64>(0)
    let given = Mutex<[Int64]>([])
    @Sendable func reserve(_ count: Int) -> ClosedRange<Int64> {
      last.withLock { last in
        defer { last += Int64(count) }
        return last + 1...last + Int64(count)
      }
    }
    Concurrently.run(8) { worker in
      for round in 1...50 {
        guard let ranges = try? reservoir.take(worker + round, reserve: reserve) else { continue }
        let numbers = ranges.flatMap { Array($0) }
        #expect(numbers.count == worker + round && numbers == numbers.sorted())
        given.withLock { $0 += numbers }
      }
    }
    let all = given.withLock { $0 }
    #expect(Set(all).count == all.count)
    var rest: [Int64] = []
    while all.count + rest.count < Int(last.withLock { $0 }) {
      rest += try reservoir.take(1) { _ in throw PersistenceError(.storeFull, "Full.") }
        .flatMap { Array($0) }
    }
    #expect(Set(all + rest) == Set(1...last.withLock { $0 }))
  }

  @Test("numbers that were taken come back when the store cannot give the rest")
  func failedReserve() throws {
    let reservoir = KeyReservoir()
    _ = try reservoir.take(10) { 1...Int64($0) }
    #expect(
      errorCode {
        _ = try reservoir.take(100) { _ in throw PersistenceError(.storeBusy, "Busy.") }
      } == .storeBusy)
    #expect(try reservoir.take(6) { _ in 100...200 } == [11...16])
  }
}
