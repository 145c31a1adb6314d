// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostObjects

/// Tests of the positions of ordered destinations at the limits of integers: a store may contain any.
@Suite struct PositionTests {
  @Test(
    "positions ascend wherever the stored ones stand (B81)",
    arguments: [
      [Int64.max - 5, nil], [.max, nil, nil], [nil, .min], [nil, nil, .min + 3],
      [.min, nil, .max], [.min, nil, nil, .max - 1], [nil, .min, nil, .max, nil], [5, nil, 6],
      [5, 5], [7, 5, 5, 9],
    ] as [[Int64?]])
  func ascending(old: [Int64?]) {
    let new = PositionAssignment.newPositions(keeping: old)
    #expect(new.count == old.count)
    #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("positions with room between them stay (B81)")
  func keeping() {
    let new = PositionAssignment.newPositions(keeping: [0, nil, 100, nil])
    #expect(new == [0, 50, 100, 1124])
  }
}
