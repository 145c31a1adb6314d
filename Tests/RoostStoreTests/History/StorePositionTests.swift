// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostStore

@Suite("Positions in a history")
struct StorePositionTests {
  private static func snapshot(
    _ floor: UInt64, _ ceiling: UInt64, _ inProgress: UInt64...
  ) -> StorePosition {
    StorePosition(
      epoch: 7, place: .snapshot(floor: floor, ceiling: ceiling, inProgress: inProgress))
  }

  private static func number(_ number: Int64, epoch: Int64 = 7) -> StorePosition {
    StorePosition(epoch: epoch, place: .number(number, digest: 9))
  }

  private static let some = [
    snapshot(3, 3), snapshot(5, 9, 5, 7), snapshot(5, 12, 5, 10), snapshot(12, 12),
    snapshot(6, 8, 6), snapshot(4, 6, 4),
  ]

  /// Returns the transactions below 14 that a position shows.
  private static func shown(_ position: StorePosition) -> Set<UInt64> {
    Set((0..<14).filter { position.shows($0) })
  }

  @Test("a position covers another one exactly if it shows all that the other one shows (H8)")
  func covering() {
    for one in Self.some {
      for other in Self.some {
        let isSuperset = Self.shown(one).isSuperset(of: Self.shown(other))
        #expect(one.covers(other) == isSuperset, "\(one.place) and \(other.place)")
      }
    }
    #expect(Self.number(3).covers(Self.number(2)) && !Self.number(2).covers(Self.number(3)))
    #expect(!Self.number(3).covers(Self.number(2, epoch: 8)), "of another history")
    #expect(!Self.number(3).covers(Self.snapshot(3, 3)))
  }

  @Test("two positions merged show what either of them shows (H8)")
  func merging() {
    for one in Self.some {
      for other in Self.some {
        let merged = one.merging(other)
        #expect(
          Self.shown(merged) == Self.shown(one).union(Self.shown(other)),
          "\(one.place) and \(other.place): \(merged.place)")
      }
    }
    #expect(Self.number(3).merging(Self.number(5)) == Self.number(5))
    #expect(Self.number(3).merging(Self.number(5, epoch: 8)) == Self.number(3))
  }

  @Test("positions are read as they were written, and are short (H11)")
  func bytes() {
    for position in Self.some + [Self.number(0), Self.number(.max), Self.number(-1, epoch: -5)] {
      #expect(StorePosition(bytes: position.bytes) == position)
      #expect(position.bytes.count < 64)
    }
  }

  @Test("bytes that are no position are refused, whatever they are (H11)")
  func damage() {
    var random = SystemRandomNumberGenerator()
    for position in Self.some {
      let bytes = position.bytes
      for length in bytes.indices { #expect(StorePosition(bytes: Array(bytes[..<length])) == nil) }
      #expect(StorePosition(bytes: bytes + [0]) == nil)
      for place in bytes.indices {
        var damaged = bytes
        damaged[place] = .random(in: 0...255, using: &random)
        // Every decoded position supports all operations.
        guard let read = StorePosition(bytes: damaged) else { continue }
        for other in Self.some { _ = (read.covers(other), other.covers(read), read.merging(other)) }
      }
    }
  }
}
