// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostKeyValue
@testable import RoostLMDB

/// Tests of the writes of an LMDB migration: no unnecessary record or index entry is written.
@Suite struct EvolutionCostTests {
  static func version(_ name: String, _ properties: [PropertyDescription]) throws -> ModelVersion {
    try ModelVersion(name) {
      let person = entity("Person")
      person.properties = properties
      let team = entity("Team", attribute("title", .string))
      connect(toOne("team", team), of: person, toMany("people", person), of: team)
      connect(toMany("friends", team), of: person, toMany("fans", person), of: team)
      person.uniquenessConstraints = [[properties[0].name]]
      person.indexes = [
        FetchIndexDescription(
          name: "index",
          elements: [FetchIndexElementDescription(propertyName: properties[1].name)])
      ]
      return [person, team]
    }
  }

  static func first() throws -> ModelVersion {
    try version("first", [attribute("name", .string), attribute("age", .integer32)])
  }

  /// Migrates a store with fifty people, and returns the numbers of written records and entries.
  func written(
    by next: ModelVersion, from old: () throws -> ModelVersion = first
  ) throws -> (records: Int, entries: Int) {
    let store = try EvolvingStore(.lmdb, old())
    let team = try store.insert("Team", ["title": .string("t")])
    for number in 1...50 {
      let key = try store.insert(
        "Person",
        [
          "name": .string("\(number)"), "team": .integer(team),
          "age": number > 40 ? .null : .integer(Int64(number)),
        ])
      try store.link("Person", "friends", key, [team])
    }
    store.store.close()
    let raw = try #require(
      try store.description.type.driver.open(store.description) as? KeyValueStore)
    let engine = CountingEngine(raw.engine)
    let counting = try KeyValueStore(
      engine: engine, description: store.description, storeType: LMDBStoreType.name)
    defer { raw.close() }
    let (change, metadata) = try next.change(from: old(), of: counting)
    #expect(try counting.evolve(change, to: metadata, reporter: MigrationReporter()))
    let evolved = (engine.records, engine.entries)
    try counting.prepare(change.destination, metadata: metadata)
    #expect(engine.records == evolved.0 && engine.entries == evolved.1)
    #expect(try counting.rows(forKeys: [team]).count == 1)
    return evolved
  }

  @Test("an attribute that is added, removed or renamed costs no record and no entry")
  func names() throws {
    let added = try Self.version(
      "added",
      [
        attribute("name", .string), attribute("age", .integer32),
        attribute("score", .double, default: .double(0.5), isOptional: false),
      ])
    #expect(try written(by: added) == (0, 0))
    let removed = try Self.version("removed", [attribute("name", .string), attribute("x", .date)])
    // The index now belongs to another attribute, which has no values.
    #expect(try written(by: removed).records == 0)
    let renamed = try Self.version(
      "renamed",
      [attribute("fullName", .string, was: "name"), attribute("years", .integer32, was: "age")])
    #expect(try written(by: renamed) == (0, 0))
  }

  @Test("only records without a value are written when every record must have one")
  func required() throws {
    let next = try Self.version(
      "required",
      [
        attribute("name", .string),
        attribute("age", .integer32, default: .integer(1), isOptional: false),
      ])
    let written = try written(by: next)
    // The index of the attribute is rebuilt.
    #expect(written == (10, 50))
  }

  @Test("an entity and its relationships are renamed without a record or a link")
  func entities() throws {
    let next = try ModelVersion("renamed") {
      let person = entity("Zoe", was: "Person", attribute("name", .string))
      person.properties.append(attribute("age", .integer32))
      let team = entity("Club", was: "Team", attribute("title", .string))
      connect(
        toOne("club", team, was: "team"), of: person, toMany("people", person), of: team)
      connect(toMany("friends", team), of: person, toMany("fans", person), of: team)
      person.uniquenessConstraints = [["name"]]
      person.indexes = [
        FetchIndexDescription(
          name: "other", elements: [FetchIndexElementDescription(propertyName: "age")])
      ]
      return [person, team]
    }
    #expect(try written(by: next) == (0, 0))
  }

  @Test("a file grows for it when it must, and the change is made once (M50)")
  func grows() throws {
    let text = String(repeating: "long ", count: 200)
    let old = {
      try AttributeEvolutionTests.people(attribute("name", .string), attribute("age", .integer32))
    }
    let store = try EvolvingStore(.lmdb, old()) {
      $0.options[LMDBOption.initialSize] = .integer(262_144)
    }
    let rows = try (1...3000).map { number in
      try store.row(
        "Person", key: RecordKey.make(sequence: number, entityCode: 1),
        ["name": .string(text), "age": .integer(number)])
    }
    try store.commit(StoreChangeSet(inserted: rows))
    let reports = Mutex((begun: 0, advanced: Int64(0)))
    let next = try AttributeEvolutionTests.people(
      attribute("name", .string), attribute("age", .double))
    try store.evolve(
      to: next, from: old(),
      reporter: MigrationReporter { progress in
        reports.withLock { reports in
          reports.begun = max(reports.begun, progress.step)
          reports.advanced = max(reports.advanced, progress.completed)
        }
      })
    #expect(reports.withLock { $0.begun } == 1)
    #expect(reports.withLock { $0.advanced } == 3000)
    try store.reopen()
    #expect(
      try store.values("Person", "age") == (1...3000).map { .double(Double($0)) })
    #expect(try store.values("Person", "name").allSatisfy { $0 == .string(text) })
  }
}
