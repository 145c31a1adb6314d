// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostQuery
import RoostStore
import Testing

/// Tests that values longer than LMDB's limit of 511 bytes per key are found, ordered and kept unique.
@Suite struct LongKeyTests {
  /// The lengths around the one at which an index key is truncated, and around LMDB's own limit.
  static let lengths = [
    0, 1, 490, 491, 492, 493, 494, 495, 496, 510, 511, 512, 513, 2_000, 100_000,
  ]

  @Test("values of every length around the limit are found by an index (reliability 2.8)")
  func equal() throws {
    let depot = try Depot()
    let names = Self.lengths.map { String(repeating: "x", count: $0) }
    try depot.insert(names)
    // Enough other records that a full scan is more expensive than the index.
    try depot.insert((0..<200).map { "other \($0)" })
    try depot.reopen()
    for name in names {
      let request = depot.model.request("name", .equalTo, .string(name))
      #expect(try depot.rows(request).map { $0.string(depot.model.slot("name")) } == [name])
      #expect(try depot.store.plan(for: request).indexes == ["Thing.unique(name)"])
    }
    let longer = depot.model.request(
      "name", .beginsWith, .string(String(repeating: "x", count: 600)))
    #expect(try depot.rows(longer).count == 2)
    let greater = depot.model.request(
      "name", .greaterThanOrEqualTo, .string(String(repeating: "x", count: 511)))
    #expect(try depot.rows(greater).count == 5)
  }

  @Test("long values that differ at their ends only are different, and equal ones are not unique")
  func uniqueness() throws {
    let depot = try Depot()
    for length in [494, 495, 511, 512, 5_000] {
      let common = String(repeating: "y", count: length)
      let first = try depot.insert([common + "a"])[0]
      try depot.insert([common + "b"])
      let again = try depot.rows([common + "a"])
      guard
        case .conflicted(let conflicts) = try depot.store.commit(
          StoreChangeSet(inserted: again)),
        case .uniqueness(_, _, _, let existing)? = conflicts.first
      else {
        Issue.record("A value that is there already was taken, of \(length) bytes.")
        continue
      }
      #expect(existing?.key == first.key)
    }
  }

  @Test("long values are sorted by all of their bytes")
  func order() throws {
    let depot = try Depot()
    let common = String(repeating: "z", count: 600)
    let names = ["m", "a", "z", "", "aa"].map { common + $0 } + ["b", "zz"]
    try depot.insert(names)
    var request = depot.model.request("name", .greaterThan, .string(""))
    let path = try #require(depot.model.thing.attributesByName["name"])
    for ascending in [true, false] {
      request.sort = [
        .init(
          path: .init(
            root: .object, relationships: [], end: .attribute(path, depot.model.slot("name"))),
          ascending: ascending, comparator: .binary)
      ]
      let found = try depot.rows(request).map { $0.string(depot.model.slot("name")) }
      #expect(found == (ascending ? names.sorted() : names.sorted().reversed()))
    }
  }
}
