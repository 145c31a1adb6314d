// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostSQLite

@Suite("What a migration of a SQLite store leaves for later") struct DeferredStepTests {
  private static func people() throws -> TestModel {
    try TestModel(.init("Person", .attribute("name", .string)), .init("Stone"))
  }

  @Test(
    "a hostile list of what is left is an error, and nothing is removed (M53)",
    arguments: [
      DeferredStep(.column, "Person", part: "name"), DeferredStep(.column, "person", part: "NAME"),
      DeferredStep(.column, "Person"), DeferredStep(.column, "Person", part: "_key"),
      DeferredStep(.table, "Person"), DeferredStep(.table, "stone"),
      DeferredStep(.table, "_roost_names"), DeferredStep(.table, "sqlite_schema\"; --"),
      DeferredStep(.index, "x'; DROP TABLE \"Person\"; --"), DeferredStep(.records, "1"),
    ])
  func hostile(_ step: DeferredStep) throws {
    let file = try EvolvingFile(Self.people())
    let store = file.evolving
    try store.insert("Person", 1, ["name": .string("Ada")])
    let contents = try store.contents()
    var metadata = store.store.metadata
    metadata.setDeferredSteps([step])
    // A save keeps the steps that are stored.
    try store.description.type.driver.setMetadata(metadata, of: store.description)
    try store.reopen()
    let error = #expect(throws: PersistenceError.self) {
      try store.store.evolution?.finishDeferredStep(isEvolving: false)
    }
    #expect(error?.code == .corruptStore)
    #expect(try store.contents() == contents)
  }

  @Test("what is gone already is done (M31)")
  func gone() throws {
    let file = try EvolvingFile(Self.people())
    let store = file.evolving
    var metadata = store.store.metadata
    metadata.setDeferredSteps([
      DeferredStep(.column, "Person", part: "former"), DeferredStep(.table, "Former"),
      DeferredStep(.index, "Person_former"),
    ])
    // A save keeps the steps that are stored.
    try store.description.type.driver.setMetadata(metadata, of: store.description)
    try store.reopen()
    let evolution = try #require(store.store.evolution)
    #expect(try evolution.finishDeferredStep(isEvolving: false))
    #expect(try evolution.finishDeferredStep(isEvolving: false))
    #expect(try !evolution.finishDeferredStep(isEvolving: false))
    #expect(!store.store.metadata.hasDeferredMigration)
    #expect(try !evolution.finishDeferredStep(isEvolving: false))
  }
}
