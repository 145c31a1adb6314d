// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore
import Testing

@Suite struct SharedStateTests {
  /// An object that two threads share.
  private final class Counter: Sendable {
    let number = SharedState(0)
  }

  @Test("what many threads change at once loses nothing")
  func threads() {
    let counter = Counter()
    let group = DispatchGroup()
    for _ in 0..<16 {
      group.enter()
      Thread.detachNewThread {
        for _ in 0..<2_000 { counter.number.withLock { $0 += 1 } }
        group.leave()
      }
    }
    group.wait()
    #expect(counter.number.withLock { $0 } == 32_000)
  }

  @Test("who cannot wait is told that another thread has the value, and has it when nobody does")
  func availability() {
    let counter = Counter()
    let isHeld = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    group.enter()
    Thread.detachNewThread {
      counter.number.withLock { number in
        isHeld.signal()
        mayEnd.wait()
        number = 5
      }
      group.leave()
    }
    isHeld.wait()
    #expect(counter.number.withLockIfAvailable { $0 } == nil)
    mayEnd.signal()
    group.wait()
    #expect(counter.number.withLockIfAvailable { $0 } == 5)
  }

  @Test("an error that is thrown under the lock lets go of it")
  func errors() {
    struct Refusal: Error {}
    let counter = Counter()
    #expect(throws: Refusal.self) {
      try counter.number.withLock { number in
        number = 1
        throw Refusal()
      }
    }
    #expect(counter.number.withLock { $0 } == 1)
  }
}
