// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Testing

@Suite struct ThrottleTests {
  @Test("the pause after a batch leaves the share of the time that is wanted (M40)")
  func pause() {
    #expect(EvolutionPolicy.expand.pause(after: 1) == 0)
    #expect(EvolutionPolicy.expand.throttle(1).pause(after: 1) == 0)
    #expect(EvolutionPolicy.expand.throttle(0.5).pause(after: 0.25) == 0.25)
    #expect(EvolutionPolicy.expand.throttle(0.2).pause(after: 0.5) == 2)
    #expect(EvolutionPolicy.expand.throttle(0.2).throttle(nil) == .expand)
  }
}
