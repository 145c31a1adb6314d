// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests that many insertions need few statements, with the same result for each record.
@Suite struct GroupedInsertionTests {
  private func people(
    _ office: Office, _ count: Int, _ values: (Int) -> [String: Value]
  ) throws -> [Row] {
    try (0..<count).map { try office.row(office.names.person, values($0)) }
  }

  private func conflictingKeys(_ office: Office, _ rows: [Row]) throws -> [Int64] {
    switch try office.store.commit(StoreChangeSet(inserted: rows)) {
    case .committed: []
    case .conflicted(let conflicts):
      conflicts.map { conflict in
        switch conflict {
        case .uniqueness(_, _, let key, _), .version(let key, _, _): key
        }
      }
    }
  }

  @Test("many new records cost a statement a group, and are read as they were written")
  func values() throws {
    let office = try Office()
    let rows = try people(office, 100) {
      ["email": .string("person \($0)"), "age": $0 % 7 == 0 ? .null : .integer(Int64($0))]
    }
    let before = office.description.log?.statements ?? 0
    try office.insert(rows)
    #expect((office.description.log?.statements ?? 0) - before < 40)
    let found = try office.all(office.names.person)
    #expect(found.map(\.key) == rows.map(\.key))
    for (row, original) in zip(found, rows) { #expect(row.changedSlots(from: original) == []) }
  }

  @Test("records of several entities, and values of any size, stand between each other")
  func mixture() throws {
    let office = try Office()
    let rows = try (0..<90).map { index in
      let isLarge = index % 10 == 3
      return try office.row(
        index < 70 ? office.names.person : office.names.manager,
        ["email": .string(String(repeating: "\(index),", count: isLarge ? 30_000 : 1))])
    }
    try office.insert(rows)
    let found = try office.all(office.names.person)
    #expect(found.map { $0.text("email") } == rows.map { $0.text("email") })
  }

  @Test("among many new records all that collide are named, and none is written (B190)")
  func collisions() throws {
    let office = try Office()
    try office.insert(office.names.person, ["email": .string("7")])
    try office.insert(office.names.person, ["email": .string("40")])
    let rows = try people(office, 100) { ["email": .string("\($0 == 50 ? 20 : $0)")] }
    #expect(
      try conflictingKeys(office, rows) == [rows[7].key, rows[40].key, rows[50].key])
    #expect(try office.all(office.names.person).count == 2)
  }

  @Test("a new record whose key is taken is a conflict, the first or the last of its group, too")
  func takenKeys() throws {
    let office = try Office()
    let rows = try people(office, 64) { ["email": .string("\($0)")] }
    try office.insert([rows[0], rows[31], rows[63]])
    #expect(try conflictingKeys(office, rows) == [rows[0].key, rows[31].key, rows[63].key])
    #expect(try office.all(office.names.person).count == 3)
  }
}
