// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("The order in which rows are asked for")
struct KeyOrderTests {
  private func key(_ number: Int, code: Int = 1) -> Int64 {
    Int64(number) << Int64(RecordKey.entityBits) | Int64(code)
  }

  private func expectOrder(
    of keys: [Int64], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let order = try #require(KeyOrder(of: keys), sourceLocation: sourceLocation)
    #expect(order.keys == keys.sorted(), sourceLocation: sourceLocation)
    #expect(order.places.map { keys[$0] } == order.keys, sourceLocation: sourceLocation)
    #expect(
      Set(order.places) == Set(keys.indices), "each place is there once",
      sourceLocation: sourceLocation)
  }

  @Test("few keys, and keys in order, are left as they are")
  func leftAlone() {
    #expect(KeyOrder(of: []) == nil)
    #expect(KeyOrder(of: (1..<KeyOrder.leastCount).reversed().map { key($0) }) == nil)
    #expect(KeyOrder(of: (0..<1_000).map { key($0) }) == nil)
  }

  @Test("keys that lie close together are put in order")
  func near() throws {
    try expectOrder(of: (0..<1_000).map { key($0 * 7 % 1_000) })
    try expectOrder(of: (0..<1_000).map { key(1_000_000 - $0 * 3) })
  }

  @Test("keys far apart, of several entities, or twice there, are put in order")
  func others() throws {
    try expectOrder(of: (0..<1_000).map { key($0 * 7 % 1_000 * 1_000_000) })
    try expectOrder(of: (0..<1_000).map { key($0 * 7 % 1_000, code: $0 % 3 + 1) })
    try expectOrder(of: (0..<1_000).map { key($0 * 7 % 500) })
  }

  @Test("rows come to the places of their IDs, whatever the order is (B38)")
  func places() throws {
    let first = try Stack.withStore()
    let ids = try first.stack.insertPeople((0..<400).map { ("P\($0)", $0) }, into: first.store)
    let stack = try Stack(company: first.stack.company, driver: first.stack.driver)
    let store = try stack.addStore("all")
    let asked = ids.indices.map { ids[$0 * 7 % ids.count] }
    let rows = try stack.coordinator.rows(for: asked)
    #expect(rows.map { $0?.key } == asked.map(\.key))
    #expect(store.script.withLock { $0.rowRequests.map { $0 } } == [asked.map(\.key).sorted()])
  }
}
