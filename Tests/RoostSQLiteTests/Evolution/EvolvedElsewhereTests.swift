// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import TestEvolution
import Testing

/// Tests of two stores on one file, one of which is migrated to another version.
@Suite("SQLite stores that evolve while others have them open") struct EvolvedElsewhereTests {
  private static let name = TestModel.Property.attribute("name", .string)

  private static func before() throws -> TestModel {
    try TestModel(
      .init(
        "Person", name, .one("boss", "Person", inverse: "team"),
        .many("team", "Person", inverse: "boss")))
  }

  /// Changes that an open store of the old version might not notice, and others.
  private static let changes: [@Sendable () throws -> TestModel] = [
    {
      try TestModel(
        .init(
          "Person", name, .attribute("new", .string),
          .one("boss", "Person", inverse: "team"), .many("team", "Person", inverse: "boss")))
    },
    {
      try TestModel(
        .init(
          "Person", .attribute("title", .string, was: "name"),
          .one("boss", "Person", inverse: "team"), .many("team", "Person", inverse: "boss")))
    },
    {
      try TestModel(
        .init(
          "Person", .one("boss", "Person", inverse: "team"),
          .many("team", "Person", inverse: "boss")))
    },
    { try TestModel(.init("Team")) },
    {
      try TestModel(
        .init(
          "Person", name, .many("boss", "Person", inverse: "team"),
          .many("team", "Person", inverse: "boss")))
    },
  ]

  private func expectRefusal(
    _ what: String, _ body: () throws -> Void, line: Int = #line
  ) {
    let error = #expect(throws: PersistenceError.self, "\(what)") { try body() }
    #expect(error?.code == .persistentStoreIncompatibleVersionHash, "\(what): \(error as Any)")
  }

  @Test(
    "each request of a store that was migrated elsewhere is refused, and nothing is written (M34)",
    arguments: 0..<changes.count, [false, true])
  func stale(_ number: Int, _ hasRead: Bool) throws {
    let before = try Self.before()
    let file = try EvolvingFile(before)
    let old = file.evolving
    let key = try old.insert("Person", 1, ["name": "Ada"])
    if hasRead { for _ in 0..<3 { _ = try old.contents() } }
    let other = try file.second(before)
    let after = try Self.changes[number]()
    #expect(try other.evolve(to: after))
    let contents = try other.contents()
    let row = Row(layout: before.entity("Person").layout, key: old.key("Person", 9), version: 1)
    let person = before.entity("Person")
    let team = try #require(person.relationshipsByName["team"])
    expectRefusal("fetch") { _ = try old.contents() }
    expectRefusal("rows") { _ = try old.store.rows(forKeys: [key]) }
    expectRefusal("row") { _ = try old.store.row(forKey: key) }
    expectRefusal("destinations") {
      _ = try old.store.destinations(of: team, forSources: [key])
    }
    expectRefusal("count") {
      var request = ResolvedFetch(entity: person, entities: [person])
      request.result = .count
      _ = try old.store.fetch(request, in: FetchContext())
    }
    expectRefusal("insert") { try old.commit(StoreChangeSet(inserted: [row])) }
    expectRefusal("delete") {
      try old.commit(StoreChangeSet(deleted: [RowVersion(key: key, version: 1)]))
    }
    expectRefusal("metadata") {
      try old.commit(StoreChangeSet(metadata: old.store.metadata))
    }
    expectRefusal("preparing") { try old.store.prepare(old.schema, metadata: old.store.metadata) }
    expectRefusal("numbers") { _ = try old.store.reserveSequences(100_000) }
    #expect(try other.contents() == contents)
  }

  @Test("a snapshot that was taken before shows the old version, as long as it stands (M34)")
  func snapshot() throws {
    let before = try Self.before()
    let file = try EvolvingFile(before)
    try file.evolving.insert("Person", 1, ["name": "Ada"])
    let snapshot = try #require(try file.evolving.store.snapshots?.takeSnapshot())
    let contents = try before.contents(of: snapshot)
    let other = try file.second(before)
    try other.evolve(to: TestModel(.init("Team")))
    #expect(try before.contents(of: snapshot) == contents)
    snapshot.close()
    expectRefusal("a new snapshot") {
      guard let late = try file.evolving.store.snapshots?.takeSnapshot() else { return }
      _ = try before.contents(of: late)
    }
  }

  @Test("of two who begin, one changes the store and the other finds it changed (M33)")
  func race() throws {
    let before = try Self.before()
    let after = try TestModel(.init("Person", Self.name))
    let file = try EvolvingFile(before)
    try file.evolving.insert("Person", 1, ["name": "Ada"])
    let other = try file.second(before)
    let (change, metadata) = try other.change(to: after)
    #expect(try file.evolving.evolve(to: after))
    let evolution = try #require(other.store.evolution)
    #expect(try !evolution.evolve(change, to: metadata, reporter: MigrationReporter()))
    #expect(try file.evolving.contents() == ["Person 1: name: \"Ada\""])
    #expect(try file.second(after).contents() == ["Person 1: name: \"Ada\""])
  }

  @Test("values that another program saves meanwhile stay when a store is evolved (M34)")
  func changedMetadata() throws {
    let before = try Self.before()
    let file = try EvolvingFile(before)
    let other = try file.second(before)
    let (change, metadata) = try other.change(to: TestModel(.init("Person")))
    var values = file.evolving.store.metadata
    values.userValues["a"] = .string("b")
    try file.evolving.commit(StoreChangeSet(metadata: values))
    let evolution = try #require(other.store.evolution)
    #expect(try evolution.evolve(change, to: metadata, reporter: MigrationReporter()))
    #expect(other.store.metadata.userValues["a"] == .string("b"))
  }

  @Test("identifiers of what went are not given again (M34)")
  func retired() throws {
    let with = try TestModel(.init("Person", Self.name))
    let file = try EvolvingFile(with)
    try file.evolving.evolve(to: TestModel(.init("Person")))
    try file.evolving.evolve(to: with)
    let columns =
      "SELECT group_concat(name) FROM pragma_table_info('Person') "
      + "WHERE name NOT IN ('_key', '_version')"
    #expect(RawDatabase(file.url).text(columns) == "name_2")
    try file.evolving.insert("Person", 1, ["name": "Ada"])
    try file.evolving.reopen()
    #expect(try file.evolving.contents() == ["Person 1: name: \"Ada\""])
  }
}
