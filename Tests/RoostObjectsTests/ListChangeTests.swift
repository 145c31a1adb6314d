// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Roost
import RoostInMemory
import Synchronization
import Testing

@Suite("Changes of lists")
struct ListChangeTests {
  @Test("two changes, one after the other, are composed into one that does the same (L8)")
  func composition() throws {
    let entity = EntityDescription()
    let ids = (0..<40).map { _ in IDScope.makeTemporaryID(for: entity) }
    var random = SeededNumbers(state: 7)
    func list() -> [ObjectID] {
      Array(ids.shuffled(using: &random).prefix(Int(random.next() % 20)))
    }
    for round in 0..<2000 {
      var (last, all) = (list(), ListChange())
      let first = last
      for _ in 0..<Int(random.next() % 4 + 1) {
        let next = round % 2 == 0 ? list() : Self.altered(last, ids, &random)
        all.append(ListChange(from: last, to: next) { _ in true })
        last = next
      }
      var applied = first
      all.apply(to: &applied) { last[$0] }
      #expect(applied == last)
      #expect(first.applying(all.difference) == last)
      #expect(all.refreshed.isSubset(of: last))
    }
  }

  /// Returns a list in which a few records were removed, inserted or moved.
  private static func altered(
    _ list: [ObjectID], _ ids: [ObjectID], _ random: inout SeededNumbers
  ) -> [ObjectID] {
    var result = list
    for _ in 0..<3 {
      if let place = result.indices.randomElement(using: &random) { result.remove(at: place) }
      let new = ids.filter { !result.contains($0) }.randomElement(using: &random)
      let place = Int(random.next() % UInt64(result.count + 1))
      if let new { result.insert(new, at: place) }
    }
    return result
  }

  private struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 16
    }
  }
}
