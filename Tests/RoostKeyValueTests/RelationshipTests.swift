// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of destinations: from the inverse of a to-one relationship, and from links in both directions.
@Suite struct RelationshipTests {
  let company: Company
  let store: KeyValueStore

  init() throws {
    company = try Company()
    store = try company.store()
  }

  func relationship(_ name: String, of entity: EntityDescription) -> RelationshipDescription {
    entity.relationshipsByName[name]!
  }

  func table(of relationship: RelationshipDescription) -> LinkTable {
    guard case .links(let table, _) = relationship.storage else {
      preconditionFailure("the relationship has links")
    }
    return table
  }

  @Test("the sources of a to-one relationship are found by destination, in order of their keys")
  func inverse() throws {
    let population = try Population(company, seed: 4)
    try population.addDepartments(8)
    try population.addPeople(120)
    try population.changeSomePeople()
    let departments = population.expected.keys.filter {
      RecordKey.entityCode(of: $0) == 3
    }.sorted()
    let people = relationship("people", of: company.department)
    let found = try population.store.destinations(of: people, forSources: departments + [77])
    for (index, department) in departments.enumerated() {
      let expected = population.expected.values.filter {
        RecordKey.entityCode(of: $0.key) < 3
          && $0.reference(company.slot("department")) == department
      }.map(\.key).sorted()
      #expect(Array(found[source: index]) == expected)
    }
    #expect(found[source: departments.count].isEmpty && found.positions.isEmpty)
  }

  @Test("an ordered relationship comes in the order of its positions, then of its keys (B78, B81)")
  func ordered() throws {
    let population = try Population(company, seed: 5)
    try population.addDepartments(4)
    try population.addPeople(100)
    try population.changeSomePeople()
    let departments = population.expected.keys.filter { RecordKey.entityCode(of: $0) == 3 }
    let found = try population.store.destinations(
      of: company.ranking, forSources: Array(departments))
    for (index, department) in departments.enumerated() {
      let expected = population.expected.values.filter {
        RecordKey.entityCode(of: $0.key) < 3
          && $0.reference(company.slot("rankedIn")) == department
      }.map { ($0.integer(population.positionSlot), $0.key) }.sorted { $0 < $1 }
      #expect(Array(found[source: index]) == expected.map(\.1))
      let positions = found.positions[found.offsets[index]..<found.offsets[index + 1]]
      #expect(Array(positions) == expected.map(\.0))
    }
  }

  @Test("a member without a position comes first, and breaks nothing")
  func unplaced() throws {
    let rows = (1...3 as ClosedRange<Int64>).map { sequence in
      let row = Row(layout: company.person.layout, key: company.key(sequence), version: 1)
      row.setInteger(77, at: company.slot("rankedIn"))
      return row
    }
    guard case .inverseOfToOne(_, let position?) = company.ranking.storage else {
      Issue.record("The answer has another form.")
      return
    }
    rows[0].setInteger(5, at: position)
    rows[1].setInteger(-5, at: position)
    _ = try store.commit(StoreChangeSet(inserted: rows))
    let found = try store.destinations(of: company.ranking, forSources: [77])
    #expect(found.keys == [3, 2, 1].map { company.key($0) } && found.positions == [0, -5, 5])
  }

  @Test("one link is seen from both of its ends, and is there once (B77)")
  func links() throws {
    let tags = relationship("tags", of: company.person)
    let tagged = relationship("tagged", of: company.tag)
    let table = table(of: tags)
    // The names decide which side owns the link table.
    guard case .links(_, let isForward) = tags.storage else {
      Issue.record("The answer has another form.")
      return
    }
    func link(_ person: Int64, _ tag: Int64, _ kind: LinkChange.Kind) -> LinkChange {
      let ends = isForward ? (person, tag) : (tag, person)
      return LinkChange(table: table, source: ends.0, destination: ends.1, kind: kind)
    }
    func placed(_ position: Int64?) -> LinkChange.Kind {
      isForward
        ? .link(position: position, inversePosition: nil)
        : .link(position: nil, inversePosition: position)
    }
    _ = try store.commit(
      StoreChangeSet(links: [
        link(1, 11, placed(30)), link(1, 12, placed(10)), link(1, 13, placed(20)),
        link(2, 11, placed(5)), link(1, 12, placed(10)), link(3, 13, .unlink),
      ]))
    let found = try store.destinations(of: tags, forSources: [1, 2, 3])
    #expect(found.keys == [12, 13, 11, 11] && found.offsets == [0, 3, 4, 4])
    #expect(found.positions == [10, 20, 30, 5])
    let backwards = try store.destinations(of: tagged, forSources: [11, 12, 99])
    #expect(backwards.keys == [1, 2, 1] && backwards.offsets == [0, 2, 3, 3])

    _ = try store.commit(
      StoreChangeSet(links: [
        link(1, 13, .unlink), link(1, 11, placed(1)), link(1, 14, placed(nil)),
        link(1, 12, placed(nil)), link(1, 15, placed(7)), link(1, 15, .unlink),
      ]))
    let later = try store.destinations(of: tags, forSources: [1])
    #expect(later.keys == [14, 11, 12], "nil keeps a position; what was never placed comes first")
    #expect(later.positions == [0, 1, 10])
    #expect(try store.destinations(of: tagged, forSources: [13]).keys.isEmpty)
  }

  @Test("the links of a deleted record go with it, on both sides")
  func deletedRecords() throws {
    let tags = relationship("tags", of: company.person)
    let friends = relationship("friends", of: company.person)
    let people = (1...4 as ClosedRange<Int64>).map { sequence in
      Row(
        layout: (sequence == 2 ? company.employee : company.person).layout,
        key: company.key(sequence, sequence == 2 ? company.employee : company.person), version: 1)
    }
    let labels = (11...13 as ClosedRange<Int64>).map {
      Row(layout: company.tag.layout, key: company.key($0, company.tag), version: 1)
    }
    guard case .links(let table, let isForward) = tags.storage else {
      Issue.record("The answer has another form.")
      return
    }
    let linked = LinkChange.Kind.link(position: nil, inversePosition: nil)
    var links = people.flatMap { person in
      labels.map { label in
        LinkChange(
          table: table, source: isForward ? person.key : label.key,
          destination: isForward ? label.key : person.key, kind: linked)
      }
    }
    links.append(
      LinkChange(
        table: self.table(of: friends), source: people[1].key, destination: people[3].key,
        kind: linked))
    _ = try store.commit(StoreChangeSet(inserted: people + labels, links: links))
    _ = try store.commit(
      StoreChangeSet(deleted: [
        RowVersion(key: people[1].key, version: 1), RowVersion(key: labels[0].key, version: 1),
      ]))
    let tagged = relationship("tagged", of: company.tag)
    let rest = [people[0].key, people[2].key, people[3].key]
    #expect(
      try store.destinations(of: tagged, forSources: labels.map(\.key)).keys == rest + rest)
    #expect(
      try store.destinations(of: tags, forSources: people.map(\.key)).offsets == [0, 2, 2, 4, 6])
    #expect(try store.destinations(of: friends, forSources: people.map(\.key)).keys.isEmpty)
  }

  @Test("a relationship that is its own inverse has each link in both directions (B76)")
  func symmetric() throws {
    let friends = relationship("friends", of: company.person)
    let table = table(of: friends)
    func change(_ left: Int64, _ right: Int64, _ kind: LinkChange.Kind) -> LinkChange {
      LinkChange(table: table, source: left, destination: right, kind: kind)
    }
    let linked = LinkChange.Kind.link(position: nil, inversePosition: nil)
    _ = try store.commit(
      StoreChangeSet(links: [change(1, 2, linked), change(3, 1, linked), change(4, 4, linked)]))
    #expect(
      try store.destinations(of: friends, forSources: [1, 2, 3, 4]).keys == [2, 3, 1, 1, 4])
    _ = try store.commit(StoreChangeSet(links: [change(2, 1, .unlink)]))
    #expect(try store.destinations(of: friends, forSources: [1, 2]).keys == [3])
  }

  @Test("a read-only store without the index finds the destinations by a scan")
  func withoutIndex() throws {
    let population = try Population(company, seed: 6)
    try population.addDepartments(3)
    try population.addPeople(50)
    let departments = population.expected.keys.filter { RecordKey.entityCode(of: $0) == 3 }.sorted()
    try population.store.engine.read { snapshot in
      let bare = KeyValueSchema(
        schema: company.schema, indexes: [], links: [:], catalogStamp: 0,
        version: KeyValueSchema.Version(population.store.metadata))
      for name in ["people", "ranking"] {
        let relationship = relationship(name, of: company.department)
        let scanned = try RelationshipReader(schema: bare, snapshot: snapshot)
          .destinations(of: relationship, forSources: departments)
        let found = try population.store.destinations(of: relationship, forSources: departments)
        #expect(scanned.keys == found.keys && scanned.offsets == found.offsets)
        #expect(scanned.positions == found.positions)
      }
    }
  }

  @Test("conditions follow relationships inside the store (B141, B144)")
  func conditions() throws {
    let population = try Population(company, seed: 7)
    try population.addDepartments(5)
    try population.addPeople(80)
    let people = relationship("people", of: company.department)
    let age = company.person.attributesByName["age"]!
    let count = ResolvedPredicate.comparison(
      ResolvedComparison(
        left: .aggregate(
          .count, ResolvedPath(root: .object, relationships: [people], end: .object)),
        comparison: .greaterThan, right: .constant(.integer(12))))
    let any = ResolvedPredicate.comparison(
      ResolvedComparison(
        left: .path(
          ResolvedPath(
            root: .object, relationships: [people], end: .attribute(age, company.slot("age")))),
        comparison: .equalTo, right: .constant(.integer(18)), modifier: .any))
    for predicate in [count, any, .not(any)] {
      let request = company.fetch(predicate, of: company.department)
      #expect(try population.keys(request) == population.reference(request))
    }
    let home = relationship("department", of: company.person)
    let name = company.department.attributesByName["name"]!
    let path = ResolvedPath(
      root: .object, relationships: [home],
      end: .attribute(name, company.slot("name", of: company.department)))
    let byName = company.fetch(
      .comparison(
        ResolvedComparison(
          left: .path(path), comparison: .endsWith, right: .constant(.string("3")))),
      sort: [ResolvedSort(path: path, ascending: false, comparator: .binary), company.sort("age")])
    #expect(try population.keys(byName) == population.reference(byName))
    #expect(try !population.keys(byName).isEmpty)
  }
}
