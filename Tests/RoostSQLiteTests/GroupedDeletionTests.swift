// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests that many deletions need few statements, with the same result for each record.
@Suite struct GroupedDeletionTests {
  private func people(_ office: Office, _ count: Int) throws -> [Row] {
    let rows = try (0..<count).map {
      try office.row(office.names.person, ["email": .string("\($0)")])
    }
    try office.insert(rows)
    return rows
  }

  private func delete(_ office: Office, _ rows: [Row]) throws -> [StoreConflict] {
    let deleted = rows.map { RowVersion(key: $0.key, version: $0.version) }
    guard
      case .conflicted(let conflicts) = try office.store.commit(StoreChangeSet(deleted: deleted))
    else { return [] }
    return conflicts
  }

  @Test("records whose keys follow each other go by one statement, and no other goes with them")
  func run() throws {
    let office = try Office()
    let rows = try people(office, 100)
    let before = office.description.log?.statements ?? 0
    #expect(try delete(office, Array(rows[10..<90])).isEmpty)
    #expect((office.description.log?.statements ?? 0) - before < 20)
    let left = try office.all(office.names.person).map(\.key)
    #expect(left == (rows[..<10] + rows[90...]).map(\.key))
  }

  @Test("records of another entity or version, and gaps, stand between those that go")
  func mixture() throws {
    let office = try Office()
    var rows: [Row] = []
    for index in 0..<120 {
      let entity = index / 10 % 3 == 1 ? office.names.manager : office.names.person
      rows.append(try office.row(entity, ["email": .string("\(index)")]))
    }
    try office.insert(rows)
    let update = office.update(rows[25], ["age": .integer(7)])
    guard case .committed = try office.store.commit(StoreChangeSet(updated: [update])) else {
      Issue.record("The update was refused.")
      return
    }
    rows[25] = update.row
    let gone = rows.enumerated().filter { $0.offset % 17 != 5 }.map(\.element)
    #expect(try delete(office, gone.reversed()).isEmpty)
    let left = try office.all(office.names.person).map(\.key)
    #expect(left == stride(from: 5, to: 120, by: 17).map { rows[$0].key })
  }

  @Test("those that were changed or are gone are named, and none is deleted (B177, B178)")
  func conflicts() throws {
    let office = try Office()
    let rows = try people(office, 60)
    let update = office.update(rows[20], ["age": .integer(7)])
    let other = StoreChangeSet(
      updated: [update], deleted: [RowVersion(key: rows[40].key, version: 1)])
    guard case .committed = try office.store.commit(other) else {
      Issue.record("The other save was refused.")
      return
    }
    let conflicts = try delete(office, rows)
    let found = conflicts.map { conflict -> [Int64?] in
      guard case .version(let key, let expected, let current) = conflict else { return [] }
      return [key, expected, current?.version]
    }
    #expect(found == [[rows[20].key, 1, 2], [rows[40].key, 1, nil]])
    #expect(try office.all(office.names.person).count == 59)
  }
}
