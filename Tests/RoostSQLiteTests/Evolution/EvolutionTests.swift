// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestEvolution
import Testing

@Suite("Evolution of SQLite stores") struct EvolutionTests {
  @Test(
    "a store follows its model, and is as it is to be when it is opened again (M9-M14)",
    arguments: EvolutionScenario.all)
  func follows(_ scenario: EvolutionScenario) throws {
    let file = try EvolvingFile(scenario.before())
    let store = file.evolving
    try scenario.fill(store)
    let after = try scenario.after()
    #expect(try store.evolve(to: after))
    let contents = try store.contents()
    #expect(contents == scenario.contents)
    if let titles = scenario.titles { #expect(store.steps.map(\.title) == titles) }
    try store.reopen()
    #expect(try store.contents() == scenario.contents)
    #expect(RawDatabase(file.url).text("PRAGMA integrity_check") == "ok")
  }

  @Test("after an evolution, preparing writes nothing (M1)", arguments: EvolutionScenario.all)
  func prepares(_ scenario: EvolutionScenario) throws {
    let file = try EvolvingFile(scenario.before())
    try scenario.fill(file.evolving)
    try file.evolving.evolve(to: scenario.after())
    file.evolving.store.close()
    let before = try Data(contentsOf: file.url)
    _ = try file.second(scenario.after()).contents()
    #expect(try Data(contentsOf: file.url) == before)
  }

  @Test("every record keeps its key and its version (M16)")
  func versions() throws {
    let before = try TestModel(.init("Person", .attribute("name", .string)))
    let after = try TestModel(
      .init("Person", .attribute("name", .string, isOptional: false, value: "nobody")))
    let file = try EvolvingFile(before)
    let store = file.evolving
    let key = try store.insert("Person", 1)
    let row = try #require(try store.store.rows(forKeys: [key]).first)
    let changed = row.copy(version: 2)
    try store.commit(
      StoreChangeSet(updated: [RowUpdate(row: changed, baseVersion: 1, changedSlots: [])]))
    try store.evolve(to: after)
    #expect(try store.contents() == ["Person 1: name: \"nobody\", version 2"])
  }

  @Test("the file keeps the text of the model that it was written with (M5)")
  func modelText() throws {
    let before = try TestModel(.init("Person"))
    let after = try TestModel(.init("Person"), .init("Team"))
    let file = try EvolvingFile(before)
    let evolution = try #require(file.evolving.store.evolution)
    #expect(try evolution.storedModel() == Array("Person".utf8))
    try file.evolving.evolve(to: after)
    #expect(try file.evolving.store.evolution?.storedModel() == Array("Person Team".utf8))
    try file.evolving.reopen()
    #expect(try file.evolving.store.evolution?.storedModel() == Array("Person Team".utf8))
    let count = "SELECT count(*) FROM _roost_models"
    #expect(RawDatabase(file.url).text(count) == "1")
  }

  @Test("a file from before keeps no text, opens as ever, and gets one with its next metadata (M5)")
  func withoutText() throws {
    let version = try TestModel(.init("Person", .attribute("name", .string)))
    let file = try EvolvingFile(version, keepsModel: false)
    let store = file.evolving
    try store.insert("Person", 1, ["name": "Ada"])
    try store.reopen()
    #expect(try store.store.evolution?.storedModel() == nil)
    var metadata = store.store.metadata
    metadata.keepsModel = true
    try store.store.prepare(store.schema, metadata: metadata)
    #expect(try store.store.evolution?.storedModel() == Array("Person".utf8))
    try store.evolve(
      to: TestModel(.init("Person", .attribute("title", .string, was: "name"))))
    #expect(try store.contents() == ["Person 1: title: \"Ada\""])
  }

  @Test("a copy keeps the text (M5)")
  func copies() throws {
    let version = try TestModel(.init("Person"))
    let file = try EvolvingFile(version)
    let source = file.evolving.description
    var copy = source
    copy.url = file.url.deletingLastPathComponent().appending(path: "copy.sqlite")
    try source.type.driver.replace(copy, with: source)
    let store = try source.type.driver.open(copy)
    defer { store.close() }
    #expect(try store.evolution?.storedModel() == Array("Person".utf8))
  }

  @Test(
    "a table of texts that no store has written is refused (M53)",
    arguments: [
      "DELETE FROM _roost_models; INSERT INTO _roost_models VALUES ('a', '')",
      "INSERT INTO _roost_models VALUES ('other', 'Person')",
      "DROP TABLE _roost_models; CREATE TABLE _roost_models (text); "
        + "INSERT INTO _roost_models VALUES (NULL)",
    ])
  func hostileText(_ sql: String) throws {
    let file = try EvolvingFile(try TestModel(.init("Person")))
    file.evolving.store.close()
    #expect(RawDatabase(file.url).run(sql) == 0)
    let second = try file.second(try TestModel(.init("Person")))
    let error = #expect(throws: PersistenceError.self) {
      try second.store.evolution?.storedModel()
    }
    #expect(error?.code == .corruptStore)
  }

  @Test("an opening of an unchanged store takes no statement more, and reads no text (M1)")
  func unchangedOpening() throws {
    let version = try TestModel(.init("Person"))
    let with = try EvolvingFile(version)
    let without = try EvolvingFile(version, keepsModel: false)
    try with.evolving.reopen()
    try without.evolving.reopen()
    #expect(
      with.evolving.description.log?.statements
        == without.evolving.description.log?.statements)
  }

  @Test("steps are shown with their number of records, and nothing is written")
  func steps() throws {
    let before = try TestModel(
      .init("Person", .attribute("name", .string), .attribute("age", .integer16)),
      .init("Pet"))
    let after = try TestModel(
      .init(
        "Person", .attribute("name", .string, isOptional: false, value: "nobody"),
        .attribute("score", .integer16, value: 1)))
    let file = try EvolvingFile(before)
    let store = file.evolving
    try store.insert("Person", 1, ["name": "Ada", "age": 36])
    try store.insert("Person", 2, ["age": 40])
    try store.insert("Person", 3)
    try store.insert("Pet", 4)
    store.store.close()
    let bytes = try Data(contentsOf: file.url)
    let second = try file.second(before)
    let change = try second.change(to: after).0
    let steps = try #require(try second.store.evolution?.steps(of: change))
    #expect(
      steps.map { "\($0.kind) \($0.rows) \($0.title)" } == [
        "addColumn 0 add Person.score", "fill 2 fill Person.name", "drop 1 drop Pet",
        "drop 2 drop Person.age", "catalogue 0 remove the table of Pet",
      ])
    #expect(steps.contains { $0.statements.contains { $0.hasPrefix("UPDATE") } })
    second.store.close()
    #expect(try Data(contentsOf: file.url) == bytes)
  }
}
