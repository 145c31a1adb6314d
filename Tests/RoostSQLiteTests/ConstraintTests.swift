// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@Suite struct ConstraintTests {
  private func outcome(_ office: Office, _ changes: StoreChangeSet) throws -> [StoreConflict] {
    switch try office.store.commit(changes) {
    case .committed: []
    case .conflicted(let conflicts): conflicts
    }
  }

  @Test(
    "a constraint over several attributes compares the tuple, and nil collides with nothing (B195)")
  func tuples() throws {
    let office = try Office()
    let person = office.names.person
    try office.insert(person, ["name": .string("Ada"), "age": .integer(36)])
    try office.insert(person, ["name": .string("Ada"), "age": .integer(37)])
    try office.insert(person, ["name": .string("Ada")])
    try office.insert(person, ["name": .string("Ada")])
    let same = try office.row(person, ["name": .string("Ada"), "age": .integer(36)])
    let conflicts = try outcome(office, StoreChangeSet(inserted: [same]))
    guard conflicts.count == 1,
      case .uniqueness(["name", "age"], "Person", same.key, _?) = conflicts[0]
    else {
      Issue.record("\(conflicts)")
      return
    }
  }

  @Test("a constraint holds over the hierarchy of the entity that declares it, not beyond (B196)")
  func hierarchy() throws {
    let office = try Office()
    let names = office.names
    try office.insert(names.employee, ["badge": .integer(1), "email": .string("a")])
    let manager = try office.row(names.manager, ["badge": .integer(1), "email": .string("a")])
    let conflicts = try outcome(office, StoreChangeSet(inserted: [manager]))
    let constraints = conflicts.map { conflict -> [String] in
      guard case .uniqueness(let properties, _, manager.key, _?) = conflict else { return [] }
      return properties
    }
    #expect(constraints == [["email"], ["badge"]])
    #expect(try office.all(names.manager).isEmpty)
  }

  @Test("a value goes from a deleted object to a new one in one save (B198)")
  func handOver() throws {
    let office = try Office()
    let old = try office.insert(office.names.person, ["email": .string("a")])
    let new = try office.row(office.names.person, ["email": .string("a")])
    let changes = StoreChangeSet(
      inserted: [new], deleted: [RowVersion(key: old.key, version: 1)])
    #expect(try outcome(office, changes).isEmpty)
    #expect(try office.all(office.names.person).map(\.key) == [new.key])
  }

  @Test("values go round in a ring of many objects in one save (B197)")
  func ring() throws {
    let office = try Office()
    let rows = try (0..<20).map {
      try office.row(
        office.names.person,
        ["email": .string("\($0)"), "badge": .null].filter {
          $0.key != "badge"
        })
    }
    try office.insert(rows)
    let updates = rows.enumerated().map { index, row in
      office.update(row, ["email": .string("\((index + 1) % 20)")])
    }
    #expect(try outcome(office, StoreChangeSet(updated: updates)).isEmpty)
    #expect(
      try office.all(office.names.person).map { $0.text("email") }
        == (0..<20).map { "\(($0 + 1) % 20)" })
    #expect(try office.all(office.names.person).allSatisfy { $0.version == 2 })
  }

  @Test("two new objects with one value are a conflict, and nothing is written (B190)")
  func sameSave() throws {
    let office = try Office()
    let rows = try (0..<2).map { _ in
      try office.row(office.names.person, ["email": .string("a")])
    }
    let conflicts = try outcome(office, StoreChangeSet(inserted: rows))
    guard conflicts.count == 1,
      case .uniqueness(["email"], "Person", rows[1].key, let existing?) = conflicts[0]
    else {
      Issue.record("\(conflicts)")
      return
    }
    #expect(existing.key == rows[0].key)
    #expect(try office.all(office.names.person).isEmpty)
  }

  @Test("an update into a taken value is a conflict with the holder as it is stored (B190)")
  func update() throws {
    let office = try Office()
    let holder = try office.insert(office.names.person, ["email": .string("a")])
    let other = try office.insert(office.names.person, ["email": .string("b")])
    let conflicts = try outcome(
      office, StoreChangeSet(updated: [office.update(other, ["email": .string("a")])]))
    guard conflicts.count == 1,
      case .uniqueness(["email"], "Person", other.key, let existing?) = conflicts[0]
    else {
      Issue.record("\(conflicts)")
      return
    }
    #expect(existing.key == holder.key)
    #expect(try office.all(office.names.person).map { $0.text("email") } == ["a", "b"])
  }

  @Test("stale objects are told before values that are taken (B192)")
  func staleFirst() throws {
    let office = try Office()
    let holder = try office.insert(office.names.person, ["email": .string("a")])
    let stale = RowVersion(key: holder.key, version: 7)
    let new = try office.row(office.names.person, ["email": .string("a")])
    let conflicts = try outcome(office, StoreChangeSet(inserted: [new], deleted: [stale]))
    guard conflicts.count == 1, case .version(holder.key, 7, _?) = conflicts[0] else {
      Issue.record("\(conflicts)")
      return
    }
  }

  @Test("a key that is taken is a conflict with the record that has it (B183)")
  func takenKey() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    let again = row.copy().setting(["nick": .string("b")])
    let conflicts = try outcome(office, StoreChangeSet(inserted: [again]))
    guard conflicts.count == 1, case .version(row.key, 0, let current?) = conflicts[0] else {
      Issue.record("\(conflicts)")
      return
    }
    #expect(current.text("nick") == "a")
  }

  @Test("locked objects are compared, and only their version grows (B174)")
  func locked() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    let lock = StoreChangeSet(locked: [RowVersion(key: row.key, version: 1)])
    #expect(try outcome(office, lock).isEmpty)
    let read = try #require(try office.all(office.names.person).first)
    #expect(read.version == 2)
    #expect(read.text("nick") == "a")
    guard case .version(row.key, 1, _?) = try #require(try outcome(office, lock).first) else {
      Issue.record("A stale lock was taken.")
      return
    }
  }
}
