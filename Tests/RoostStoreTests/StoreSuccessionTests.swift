// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostStore

/// Tests of the translation of keys between a moved store and its predecessors.
@Suite struct StoreSuccessionTests {
  private func key(_ sequence: Int64, _ code: Int) -> Int64 {
    RecordKey.make(sequence: sequence, entityCode: code)
  }

  @Test("records that were created after a move have no key at the new place (X41, X50)")
  func bound() {
    let move = StoreSuccession(identifier: "A", codes: [1: 2], offset: 100, largest: 10)
    #expect(move.key(of: key(10, 1)) == key(110, 2))
    #expect(move.key(of: key(11, 1)) == nil)
    #expect(move.key(of: key(10, 3)) == nil, "an entity that was not moved")
    let back = move.reversed(from: "B")
    #expect(back.key(of: key(110, 2)) == key(10, 1))
    #expect(back.key(of: key(111, 2)) == nil)
    #expect(back.key(of: key(100, 2)) == nil, "a record that was in the new store before")
  }

  @Test("of two moves, a record has a key when both have moved it (X50)")
  func twice() {
    let first = StoreSuccession(identifier: "A", codes: [1: 2], offset: 100, largest: 10)
    for (largest, bound) in [(200, 10), (105, 5)] as [(Int64, Int64)] {
      let next = StoreSuccession(identifier: "B", codes: [2: 3], offset: 20, largest: largest)
      let both = first.followed(by: next)
      #expect(both.key(of: key(bound, 1)) == key(bound + 120, 3))
      #expect(both.key(of: key(bound + 1, 1)) == nil)
    }
    let unbound = StoreSuccession(identifier: "B", codes: [2: 3], offset: 20, largest: nil)
    #expect(first.followed(by: unbound).largest == 10)
    #expect(unbound.followed(by: first).largest == -10)
    #expect(unbound.followed(by: unbound).largest == nil)
  }

  @Test("a move that an earlier version has noted is read, and translates every key (X50)")
  func earlierForm() throws {
    let text = #"{"identifier":"A","codes":{"1":2},"offset":100}"#
    let move = try JSONDecoder().decode(StoreSuccession.self, from: Data(text.utf8))
    #expect(move.largest == nil)
    #expect(move.key(of: key(1 << 40, 1)) == key(1 << 40 + 100, 2))
    let later = StoreSuccession(identifier: "A", codes: [1: 2], offset: 100, largest: 10)
    let data = try JSONEncoder().encode(later)
    #expect(try JSONDecoder().decode(StoreSuccession.self, from: data) == later)
  }
}
