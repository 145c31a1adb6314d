// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@Suite struct SQLiteStoreTests {
  @Test("a new store has a type and a UUID, which stay (B244)")
  func identity() throws {
    let office = try Office()
    let identifier = office.store.metadata.identifier
    #expect(office.store.metadata.storeType == "SQLite")
    #expect(UUID(uuidString: identifier) != nil)
    try office.reopen()
    #expect(office.store.metadata.identifier == identifier)
    #expect(office.store.identity.identifier == identifier)
  }

  @Test("rows that were written are read again after the file is opened anew")
  func roundTrip() throws {
    let office = try Office()
    let uuid = UUID()
    let row = try office.insert(
      office.names.employee,
      [
        "name": .string("Ada"), "age": .integer(36), "score": .double(1.5),
        "active": .boolean(true), "uuid": .uuid(uuid), "salary": .decimal(12.50),
        "photo": .data(Data([0, 1, 2])), "badge": .integer(7),
      ])
    try office.reopen()
    let read = try #require(try office.store.rows(forKeys: [row.key]).first)
    #expect(read.version == 1)
    #expect(read.text("name") == "Ada")
    #expect(read.number("age") == 36)
    #expect(read.number("badge") == 7)
    #expect(read.text("email") == nil)
    let layout = office.names.employee.layout
    #expect(read.uuid(try #require(layout.slot(named: "uuid"))) == uuid)
    #expect(read.decimal(try #require(layout.slot(named: "salary"))) == 12.50)
    #expect(read.data(try #require(layout.slot(named: "photo"))) == Data([0, 1, 2]))
    #expect(read.isNull(try #require(layout.slot(named: "department"))))
  }

  @Test("a fetch of a parent entity returns subentities with their own layouts (B299, B128)")
  func hierarchy() throws {
    let office = try Office()
    let names = office.names
    for entity in [names.manager, names.person, names.employee] {
      try office.insert(entity, ["name": .string(entity.name ?? "")])
    }
    #expect(
      try office.all(names.person).map(\.layout.entity.name) == ["Manager", "Person", "Employee"])
    #expect(try office.all(names.employee).map(\.layout.entity.name) == ["Manager", "Employee"])
    var exact = office.request(names.person)
    exact.entities = [names.person]
    #expect(try office.rows(exact).map(\.layout.entity.name) == ["Person"])
  }

  @Test("a fetch filters, sorts and cuts in the store (B120, B125)")
  func simpleFetch() throws {
    let office = try Office()
    let person = office.names.person
    try office.insert(
      try (0..<10).map { try office.row(person, ["age": .integer(Int64(9 - $0))]) })
    let adults = compare(person.path("age"), .greaterThanOrEqualTo, .constant(.integer(4)))
    let sort = [
      ResolvedSort(path: person.attributePath("age"), ascending: true, comparator: .binary)
    ]
    let request = office.request(person, where: adults, sort: sort, limit: 3, offset: 1)
    #expect(try office.rows(request).map { $0.number("age") } == [5, 6, 7])
    var count = request
    count.result = .count
    guard case .count(3) = try office.store.fetch(count).content else {
      Issue.record("The count differs from the rows.")
      return
    }
    #expect(try office.store.plan(for: request).indexes == ["Person_by_age"])
  }

  @Test("an index of some records serves who asks for just these, and nobody else (B12)")
  func partialIndex() throws {
    let office = try Office()
    let person = office.names.person
    try office.insert(
      try (0..<50).map {
        try office.row(
          person, ["score": .double(Double($0)), "active": .boolean($0.isMultiple(of: 10))])
      })
    let score = compare(person.path("score"), .equalTo, .constant(.double(20)))
    let active = compare(person.path("active"), .equalTo, .constant(.boolean(true)))
    let request = office.request(person, where: .and([score, active]))
    #expect(try office.rows(request).count == 1)
    #expect(try office.store.plan(for: request).indexes == ["Person_by_score"])
    let all = office.request(person, where: score)
    #expect(try office.rows(all).count == 1)
    #expect(try office.store.plan(for: all).indexes == [])
  }

  @Test(
    "a stale version is a conflict with the row as it is now, and nothing is written (B177, B178)")
  func versionConflict() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["name": .string("Ada")])
    let gone = try office.insert(office.names.person, ["name": .string("Bob")])
    _ = try office.store.commit(
      StoreChangeSet(
        updated: [office.update(row, ["name": .string("Eve")])],
        deleted: [RowVersion(key: gone.key, version: 1)]))
    let outcome = try office.store.commit(
      StoreChangeSet(
        inserted: [try office.row(office.names.tag)],
        updated: [
          office.update(row, ["name": .string("Zoe")]), office.update(gone, ["age": .integer(1)]),
        ]))
    guard case .conflicted(let conflicts) = outcome, conflicts.count == 2,
      case .version(row.key, 1, let current?) = conflicts[0],
      case .version(gone.key, 1, nil) = conflicts[1]
    else {
      Issue.record("\(outcome)")
      return
    }
    #expect(current.version == 2)
    #expect(current.text("name") == "Eve")
    #expect(try office.all(office.names.tag).isEmpty)
  }

  @Test("two objects can swap unique values in one save (B197)")
  func swap() throws {
    let office = try Office()
    let one = try office.insert(office.names.person, ["email": .string("a"), "age": .integer(1)])
    let two = try office.insert(office.names.employee, ["email": .string("b"), "age": .integer(2)])
    let outcome = try office.store.commit(
      StoreChangeSet(updated: [
        office.update(one, ["email": .string("b")]), office.update(two, ["email": .string("a")]),
      ]))
    guard case .committed = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try office.all(office.names.person).map { $0.text("email") } == ["b", "a"])
  }

  @Test("a value that is taken is a conflict with its holder (B190)")
  func uniqueness() throws {
    let office = try Office()
    let holder = try office.insert(office.names.person, ["email": .string("a")])
    let row = try office.row(office.names.manager, ["email": .string("a")])
    let outcome = try office.store.commit(StoreChangeSet(inserted: [row]))
    guard case .conflicted(let conflicts) = outcome, conflicts.count == 1,
      case .uniqueness(["email"], "Person", row.key, let existing?) = conflicts[0]
    else {
      Issue.record("\(outcome)")
      return
    }
    #expect(existing.key == holder.key)
    #expect(try office.all(office.names.person).count == 1)
  }
}
