// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@Suite struct RelationshipTests {
  private func relationship(_ entity: EntityDescription, _ name: String) throws
    -> RelationshipDescription
  {
    try #require(entity.relationshipsInOrder.first { $0.name == name })
  }

  private func destinations(
    _ office: Office, _ entity: EntityDescription, _ name: String, _ sources: [Int64]
  ) throws -> [[Int64]] {
    let found = try office.store.destinations(
      of: relationship(entity, name), forSources: sources)
    return sources.indices.map { Array(found[source: $0]) }
  }

  @Test("the destinations of many sources come in one request, by key where they have no order")
  func inverseOfToOne() throws {
    let office = try Office()
    let names = office.names
    let departments = try (0..<3).map { _ in try office.insert(names.department) }
    let people = try (0..<5).map { number in
      let row = try office.row(number.isMultiple(of: 2) ? names.person : names.manager)
      row.setInteger(
        departments[number % 2].key, at: try #require(row.layout.slot(named: "department")))
      return row
    }
    try office.insert(people.reversed())
    #expect(
      try destinations(office, names.department, "people", departments.map(\.key))
        == [[people[0].key, people[2].key, people[4].key], [people[1].key, people[3].key], []])
  }

  @Test("an ordered relationship comes in the order of its positions (B81)")
  func ordered() throws {
    let office = try Office()
    let names = office.names
    let manager = try office.insert(names.manager)
    let team = try (0..<4).map { number in
      let row = try office.row(names.employee)
      let layout = row.layout
      row.setInteger(manager.key, at: try #require(layout.slot(named: "boss")))
      guard
        case .inverseOfToOne(_, let position?) =
          try relationship(names.manager, "team").storage
      else { preconditionFailure("The team is ordered.") }
      row.setInteger(Int64(10 - number), at: position)
      return row
    }
    try office.insert(team)
    #expect(
      try destinations(office, names.manager, "team", [manager.key])
        == [team.reversed().map(\.key)])
  }

  @Test("links are a set with an order at one end; both ends read them (B77)")
  func links() throws {
    let office = try Office()
    let names = office.names
    let person = try office.insert(names.person)
    let tags = try (0..<3).map { _ in try office.insert(names.tag) }
    let storage = try relationship(names.person, "tags").storage
    guard case .links(let table, let isForward) = storage else {
      Issue.record("\(storage)")
      return
    }
    func link(_ tag: Row, _ kind: LinkChange.Kind) -> LinkChange {
      isForward
        ? LinkChange(table: table, source: person.key, destination: tag.key, kind: kind)
        : LinkChange(table: table, source: tag.key, destination: person.key, kind: kind)
    }
    func at(_ position: Int64) -> LinkChange.Kind {
      isForward
        ? .link(position: position, inversePosition: nil)
        : .link(position: nil, inversePosition: position)
    }
    _ = try office.store.commit(
      StoreChangeSet(links: [link(tags[0], at(3)), link(tags[1], at(2)), link(tags[2], at(1))]))
    #expect(
      try destinations(office, names.person, "tags", [person.key])
        == [[tags[2].key, tags[1].key, tags[0].key]])
    #expect(
      try destinations(office, names.tag, "tagged", tags.map(\.key))
        == [[person.key], [person.key], [person.key]])
    _ = try office.store.commit(
      StoreChangeSet(links: [
        link(tags[0], .link(position: nil, inversePosition: nil)), link(tags[1], .unlink),
        link(tags[1], .unlink), link(tags[2], at(9)),
      ]))
    #expect(
      try destinations(office, names.person, "tags", [person.key])
        == [[tags[0].key, tags[2].key]])
  }

  @Test("a relationship that is its own inverse holds each link in both directions (B76)")
  func symmetric() throws {
    let office = try Office()
    let names = office.names
    let rows = try (0..<2).map { _ in try office.insert(names.person) }
    guard case .links(let table, _) = try relationship(names.person, "friends").storage else {
      Issue.record("Friends are links.")
      return
    }
    func change(_ kind: LinkChange.Kind) throws {
      _ = try office.store.commit(
        StoreChangeSet(links: [
          LinkChange(table: table, source: rows[0].key, destination: rows[1].key, kind: kind)
        ]))
    }
    try change(.link(position: nil, inversePosition: nil))
    #expect(
      try destinations(office, names.person, "friends", rows.map(\.key))
        == [[rows[1].key], [rows[0].key]])
    try change(.unlink)
    #expect(
      try destinations(office, names.person, "friends", rows.map(\.key)) == [[], []])
  }

  /// Relates people and tags.
  private func tag(_ office: Office, _ pairs: [(person: Int64, tag: Int64)]) throws {
    let tags = try relationship(office.names.person, "tags")
    guard case .links(let table, let isForward) = tags.storage else {
      Issue.record("Tags are links.")
      return
    }
    let links = pairs.map { person, tag in
      LinkChange(
        table: table, source: isForward ? person : tag, destination: isForward ? tag : person,
        kind: .link(position: nil, inversePosition: nil))
    }
    _ = try office.store.commit(StoreChangeSet(links: links))
  }

  @Test(
    "the links of many records that are deleted together go with them, at either end",
    arguments: [false, true])
  func deletedRuns(ofTags: Bool) throws {
    let office = try Office()
    let names = office.names
    let many = try (0..<20).map { _ in try office.insert(ofTags ? names.tag : names.employee) }
    let one = try office.insert(ofTags ? names.employee : names.tag)
    try tag(office, many.map { ofTags ? (one.key, $0.key) : ($0.key, one.key) })
    let gone = many[5..<15].map { RowVersion(key: $0.key, version: 1) }
    _ = try office.store.commit(StoreChangeSet(deleted: gone))
    let (entity, name) = ofTags ? (names.person, "tags") : (names.tag, "tagged")
    let left = try destinations(office, entity, name, [one.key])[0]
    #expect(left.sorted() == (many[..<5] + many[15...]).map(\.key).sorted())
  }

  @Test("the links of a deleted record go with it, at either end")
  func deletedEnds() throws {
    let office = try Office()
    let names = office.names
    let people = try (0..<2).map { _ in try office.insert(names.employee) }
    let tag = try office.insert(names.tag)
    try self.tag(office, people.map { ($0.key, tag.key) })
    _ = try office.store.commit(
      StoreChangeSet(deleted: [RowVersion(key: people[0].key, version: 1)]))
    #expect(try destinations(office, names.tag, "tagged", [tag.key]) == [[people[1].key]])
    _ = try office.store.commit(StoreChangeSet(deleted: [RowVersion(key: tag.key, version: 1)]))
    #expect(try destinations(office, names.person, "tags", [people[1].key]) == [[]])
  }

  @Test("any number of rows by key is one snapshot, and what is gone is left out")
  func rowsByKey() throws {
    let office = try Office()
    let rows = try (0..<300).map { number in
      try office.row(number.isMultiple(of: 3) ? office.names.tag : office.names.person)
    }
    try office.insert(rows)
    let gone = RecordKey.make(sequence: 1 << 40, entityCode: 1)
    let found = try office.store.rows(forKeys: rows.map(\.key).reversed() + [gone])
    #expect(found.map(\.key) == rows.map(\.key).reversed())
  }
}
