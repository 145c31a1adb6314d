// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostCoordinator

@Suite("Snapshots that are held for long")
struct HeldSnapshotsTests {
  private func ages(_ snapshots: HeldSnapshots, _ commits: Int) -> [Int] {
    (0..<commits).compactMap { _ in snapshots.noteCommit() }
  }

  @Test("nothing is said while nobody looks, however much is written (hazard 8)")
  func nobody() {
    let snapshots = HeldSnapshots(firstAge: 3)
    #expect(ages(snapshots, 50) == [])
    snapshots.end(snapshots.begin())
    #expect(ages(snapshots, 50) == [])
  }

  @Test("an old snapshot is told of when it gets old, and whenever its age has doubled (hazard 8)")
  func doubling() {
    let snapshots = HeldSnapshots(firstAge: 3)
    _ = ages(snapshots, 7)
    let start = snapshots.begin()
    #expect(ages(snapshots, 25) == [3, 6, 12, 24])
    snapshots.end(start)
    #expect(ages(snapshots, 50) == [])
  }

  @Test("the oldest of several counts, until the last who looks at it is gone (hazard 8)")
  func several() {
    let snapshots = HeldSnapshots(firstAge: 3)
    let first = [snapshots.begin(), snapshots.begin()]
    #expect(ages(snapshots, 2) == [])
    let second = snapshots.begin()
    snapshots.end(first[0])
    #expect(ages(snapshots, 2) == [3])
    snapshots.end(first[1])
    #expect(ages(snapshots, 3) == [3], "the younger one is told of by itself")
    snapshots.end(second)
    #expect(ages(snapshots, 10) == [])
  }
}
