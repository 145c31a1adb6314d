// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore
import Testing

/// Tests of deadlines, which do not depend on the system clock.
@Suite struct DeadlineTests {
  @Test("a deadline in the past is over, one of any length in the future is not")
  func instants() {
    #expect(Deadline(after: 0).isOver)
    #expect(Deadline(after: -1).isOver)
    #expect(Deadline(after: 1000).remaining > 900)
    #expect(Deadline(after: .infinity).remaining > 900)
    #expect(Deadline(after: 1000).limited(toSeconds: 0).isOver)
    #expect(Deadline(after: 0).limited(toSeconds: 1000).isOver)
  }

  @Test("a lock is taken at once when it is free, and not when somebody keeps it (reliability 27)")
  func locks() {
    let lock = NSLock()
    #expect(lock.lock(until: Deadline(after: 0)))
    #expect(!lock.lock(until: Deadline(after: 0.01)))
    lock.unlock()
    #expect(lock.lock(until: Deadline(after: .infinity)))
    lock.unlock()
  }

  @Test("a condition says when there is no time left")
  func conditions() {
    let condition = NSCondition()
    condition.lock()
    #expect(!condition.wait(until: Deadline(after: 0)))
    let deadline = Deadline(after: 0.01)
    while condition.wait(until: deadline) {}
    #expect(deadline.isOver)
    condition.unlock()
  }
}
