// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostSQLite

/// Tests of opening a store and of reading by key.
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

  @Test("a column that somebody took away is missed, and its values are not made nil (B14)")
  func missingColumn() throws {
    let office = try Office()
    try office.insert(office.names.person, ["nick": .string("a")])
    office.store.close()
    let other = RawDatabase(try #require(office.description.url))
    #expect(other.run("ALTER TABLE Person DROP COLUMN nick") == 0)
    let error = #expect(throws: PersistenceError.self) { try office.reopen() }
    #expect(error?.code == .persistentStoreIncompatibleSchema && error?.key == "nick")
  }

  @Test("records are found by many keys in any order, some of them gone, some asked for twice")
  func manyKeys() throws {
    let office = try Office()
    let names = office.names
    var rows: [Row] = []
    for number in 0..<900 {
      // Two entities alternating at first, and then one alone.
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

  @Test(
    "keys that lie together are looked for by their place; twice, of two entities, or far apart they are not"
  )
  func spans() throws {
    func key(_ sequence: Int64, _ code: Int = 1) -> Int64 {
      RecordKey.make(sequence: sequence, entityCode: code)
    }
    let span = try #require(KeySpan(of: [key(9), key(4), key(7)]))
    #expect([span.first, span.last] == [key(4), key(9)])
    #expect((3...10).map { span.place(of: key($0)) } == [nil, 1, nil, nil, 2, nil, 0, nil])
    // Between them there is a record of another entity of the table.
    #expect(span.place(of: key(7, 2)) == nil)
    #expect(KeySpan(of: []) == nil)
    #expect(KeySpan(of: [key(1), key(2), key(1)]) == nil)
    #expect(KeySpan(of: [key(1), key(2, 2)]) == nil)
    #expect(KeySpan(of: [key(1), key(100)]) == nil)
    #expect(KeySpan(of: [Int64.min, Int64.max]) == nil)
  }

  @Test("what is only passed is not kept in memory, and what is looked up is again")
  func pageCache() throws {
    let office = try Office()
    office.store.close()
    let location = try SQLiteLocation(office.description.url)
    let connection = try SQLiteConnection(location, access: .readWrite, timeout: 1)
    try connection.execute("CREATE TABLE wide (number INTEGER PRIMARY KEY, bytes BLOB)")
    try connection.execute(
      "INSERT INTO wide WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
        + " WHERE i < 6000) SELECT i, zeroblob(3500) FROM n")
    let reader = try SQLiteConnection(location, access: .readWrite, timeout: 1)
    try reader.execute("PRAGMA cache_size=-65536")
    func size() throws -> Int64? { try reader.number("PRAGMA cache_size") }
    func pass() throws -> Int64 {
      _ = try reader.number("SELECT sum(length(bytes)) FROM wide")
      return reader.keptBytes >> 20
    }
    try reader.notePassage(of: PageCacheBound.patience - 1)
    #expect(try size() == -65_536, "a small table may stay in memory")
    try reader.notePassage(of: 1)
    #expect(try size() == -2_048)
    #expect(try pass() <= 2)
    try reader.noteLookUp()
    #expect(try size() == -65_536)
    #expect(try pass() > 16)
    try reader.notePassage(of: PageCacheBound.patience)
    #expect(reader.keptBytes >> 20 > 16, "what is there stays")
  }
}
