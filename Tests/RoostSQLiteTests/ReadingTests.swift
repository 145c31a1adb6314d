// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostSQLite

/// Opening and reading by key.
@Suite struct ReadingTests {
  @Test("a store in which nothing is to be made opens while another program writes, and reads")
  func openWhileWritten() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    office.store.close()
    let other = RawDatabase(try #require(office.description.url))
    #expect(other.run("BEGIN IMMEDIATE") == 0)
    try office.reopen()
    #expect(try office.store.rows(forKeys: [row.key]).first?.text("nick") == "a")
    #expect(other.run("COMMIT") == 0)
    try office.insert(office.names.person, ["nick": .string("b")])
    #expect(try office.all(office.names.person).count == 2)
  }

  @Test("a column that somebody took away is made again when the store is opened")
  func missingColumn() throws {
    let office = try Office()
    try office.insert(office.names.person, ["nick": .string("a")])
    office.store.close()
    let other = RawDatabase(try #require(office.description.url))
    #expect(other.run("ALTER TABLE Person DROP COLUMN nick") == 0)
    try office.reopen()
    #expect(try office.all(office.names.person).map { $0.text("nick") } == [nil])
  }

  @Test("records are found by many keys in any order, some of them gone, some asked for twice")
  func manyKeys() throws {
    let office = try Office()
    let names = office.names
    var rows: [Row] = []
    for number in 0..<900 {
      // Two entities among each other at first, and then one alone.
      let entity = number < 300 && number % 9 == 0 ? names.department : names.person
      rows.append(try office.row(entity))
    }
    // A gap: these keys are never written.
    let lost = try (0..<3_000).map { _ in try office.row(names.person).key }
    rows += try (0..<100).map { _ in try office.row(names.person) }
    let kept = rows.enumerated().filter { $0.offset % 5 != 1 }.map(\.element)
    try office.insert(kept)
    var keys = rows.map(\.key) + lost.prefix(3) + rows.prefix(7).map(\.key)
    for index in keys.indices { keys.swapAt(index, index * 7_919 % keys.count) }
    let known = Set(kept.map(\.key))
    for count in [1, 63, 64, 500, keys.count] {
      let asked = Array(keys.prefix(count))
      #expect(
        try office.store.rows(forKeys: asked).map(\.key) == asked.filter { known.contains($0) })
    }
  }

  @Test("keys that lie together are read in one pass, those far apart one by one")
  func runs() {
    func key(_ sequence: Int64, _ code: Int = 1) -> Int64 {
      RecordKey.make(sequence: sequence, entityCode: code)
    }
    func runs(_ keys: [Int64]) -> [[String]] {
      KeyRun.runs(of: keys, inOrder: Array(keys.indices))
        .map { ["\($0.range)", $0.isDense ? "together" : "apart"] }
    }
    #expect(runs((0..<1_000).map { key($0) }) == [["0..<1000", "together"]])
    #expect(runs((0..<300).map { key($0 * 10) }) == [["0..<300", "apart"]])
    #expect(
      runs((0..<256).map { key($0) } + (1_000_000..<1_000_256).map { key($0) })
        == [["0..<256", "together"], ["256..<512", "together"]])
    #expect(runs((0..<200).map { key($0, Int($0 % 2) + 1) }) == [["0..<200", "apart"]])
  }
}
