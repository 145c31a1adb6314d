// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostCoordinator

@Suite struct HistoryClockTests {
  @Test("the clock of histories is no slower, and goes no deeper, however often it was asked")
  func depth() async throws {
    await #expect(processExitsWith: .success) {
      let ticks = HistoryTicks()
      for _ in 0..<20_000 { precondition(ticks.clock() > 0) }
      let done = DispatchSemaphore(value: 0)
      let thread = Thread {
        precondition(ticks.clock() > 0)
        done.signal()
      }
      thread.stackSize = 128 * 1024
      thread.start()
      done.wait()
    }
  }
}
