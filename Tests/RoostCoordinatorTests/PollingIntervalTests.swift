// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostCoordinator

@Suite("How often a store is looked at")
struct PollingIntervalTests {
  private func due(_ pace: inout PollingInterval, found: Bool = false, hints: Int, _ count: Int = 1)
  {
    for _ in 0..<count { pace.noteDue(found: found, hints: hints, maySlowDown: true) }
  }

  @Test("without a write that a hint has found, it is looked as often as was asked for (H30)")
  func unproven() {
    var pace = PollingInterval(seconds: 1)
    due(&pace, hints: 0, 50)
    #expect(pace.seconds == 1)
    // Hints without changes, as of own writes.
    pace.noteHinted(found: false, hints: 9)
    due(&pace, hints: 9, 50)
    #expect(pace.seconds == 1)
  }

  @Test("while hints find what others write, it is looked less and less often, to ten times (H30)")
  func slower() {
    var pace = PollingInterval(seconds: 1)
    pace.noteHinted(found: true, hints: 1)
    var seen: [Double] = []
    for _ in 0..<6 {
      due(&pace, hints: 1)
      seen.append(pace.seconds)
    }
    #expect(seen == [2, 4, 8, 10, 10, 10])
    pace.noteFailure()
    #expect(pace.seconds == 1)
    pace.noteDue(found: false, hints: 1, maySlowDown: false)
    #expect(pace.seconds == 1)
    pace.shortest = 0.5
    #expect(pace.seconds == 0.5)
  }

  @Test("a write without a hint ends the trust, and each one makes it harder to win back (H30)")
  func missed() {
    var pace = PollingInterval(seconds: 1)
    pace.noteHinted(found: true, hints: 1)
    due(&pace, hints: 1, 5)
    due(&pace, found: true, hints: 1)
    #expect(pace.seconds == 1)
    due(&pace, hints: 1)
    #expect(pace.seconds == 1)
    for hits in 1...8 {
      pace.noteHinted(found: true, hints: 1 + hits)
      due(&pace, hints: 1 + hits)
      #expect(pace.seconds == (hits < 8 ? 1 : 2))
    }
  }

  @Test("a write whose hint comes after a look is none without one (H30)")
  func late() {
    var pace = PollingInterval(seconds: 1)
    pace.noteHinted(found: true, hints: 1)
    due(&pace, hints: 1, 5)
    due(&pace, found: true, hints: 1)
    #expect(pace.seconds == 1)
    due(&pace, hints: 2)
    #expect(pace.seconds == 2)
  }

  @Test("a write whose hint has come just before a look that was due is none without one (H30)")
  func early() {
    var pace = PollingInterval(seconds: 1)
    pace.noteHinted(found: true, hints: 1)
    due(&pace, hints: 1, 5)
    for hints in 2...9 {
      due(&pace, found: true, hints: hints)
      // The look that the hint causes finds nothing more.
      pace.noteHinted(found: false, hints: hints)
      due(&pace, hints: hints)
      #expect(pace.seconds == 2)
    }
    // A hint that was followed by a look belongs to another write.
    pace.noteWished(hints: 10)
    due(&pace, found: true, hints: 10)
    due(&pace, hints: 10)
    #expect(pace.seconds == 1)
  }

  @Test("writes that came without hints are forgiven when many have had theirs (H30)")
  func forgiven() {
    var pace = PollingInterval(seconds: 1)
    for _ in 0..<5 {
      due(&pace, found: true, hints: 0)
      due(&pace, hints: 0)
    }
    var hits = 0
    while pace.seconds == 1, hits < 10_000 {
      hits += 1
      pace.noteHinted(found: true, hints: hits)
      due(&pace, hints: hits)
    }
    // Five missing hints need 32,768 hits, and three, which are left after 2,000 hits, need 512.
    #expect(hits == 2 * PollingInterval.hitsThatForgive)
  }
}
