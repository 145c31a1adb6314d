// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostCoordinator

@Suite("Moments that are held for long")
struct HeldMomentsTests {
  private func ages(_ moments: HeldMoments, _ commits: Int) -> [Int] {
    (0..<commits).compactMap { _ in moments.noteCommit() }
  }

  @Test("nothing is said while nobody looks, however much is written (hazard 8)")
  func nobody() {
    let moments = HeldMoments(firstAge: 3)
    #expect(ages(moments, 50) == [])
    moments.end(moments.begin())
    #expect(ages(moments, 50) == [])
  }

  @Test("an old moment is told of when it gets old, and whenever its age has doubled (hazard 8)")
  func doubling() {
    let moments = HeldMoments(firstAge: 3)
    _ = ages(moments, 7)
    let start = moments.begin()
    #expect(ages(moments, 25) == [3, 6, 12, 24])
    moments.end(start)
    #expect(ages(moments, 50) == [])
  }

  @Test("the oldest of several counts, until the last who looks at it is gone (hazard 8)")
  func several() {
    let moments = HeldMoments(firstAge: 3)
    let first = [moments.begin(), moments.begin()]
    #expect(ages(moments, 2) == [])
    let second = moments.begin()
    moments.end(first[0])
    #expect(ages(moments, 2) == [3])
    moments.end(first[1])
    #expect(ages(moments, 3) == [3], "the younger one is told of by itself")
    moments.end(second)
    #expect(ages(moments, 10) == [])
  }
}
