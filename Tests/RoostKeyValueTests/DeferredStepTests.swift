// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostKeyValue

/// Tests of deferred migration steps in LMDB.
@Suite struct DeferredStepTests {
  typealias Attributes = AttributeEvolutionTests

  private func store(leaving steps: [DeferredStep]) throws -> EvolvingStore {
    let version = try ModelVersion("people") {
      let person = entity("Person", attribute("name", .string))
      person.indexes = [
        FetchIndexDescription(
          name: "byName", elements: [FetchIndexElementDescription(propertyName: "name")])
      ]
      return [person]
    }
    let store = try EvolvingStore(.lmdb, version)
    try store.insert("Person", ["name": .string("Ada")])
    let raw = try #require(store.store as? KeyValueStore)
    try raw.engine.write { _, batch in
      var metadata = raw.metadata
      metadata.setDeferredSteps(steps)
      try KeyValueStore.write(metadata, to: &batch)
    }
    try store.reopen()
    return store
  }

  @Test(
    "a hostile list of what is left is an error, and nothing is removed (M53)",
    arguments: [
      DeferredStep(.records, "1"), DeferredStep(.records, "0"), DeferredStep(.records, "5000"),
      DeferredStep(.records, "x"), DeferredStep(.table, "1"), DeferredStep(.table, "-1"),
      DeferredStep(.table, "77"), DeferredStep(.table, ""), DeferredStep(.column, "1", part: "1"),
    ])
  func hostile(_ step: DeferredStep) throws {
    let store = try store(leaving: [step])
    let error = #expect(throws: PersistenceError.self) {
      try store.store.evolution?.finishDeferredStep(isEvolving: false)
    }
    #expect(error?.code == .corruptStore)
    #expect(try store.values("Person", "name") == [.string("Ada")])
  }

  @Test("what is gone already, and an index that nobody wants, is done (M31)")
  func gone() throws {
    let store = try store(leaving: [
      DeferredStep(.records, "9"), DeferredStep(.index, "nobody's"),
    ])
    let evolution = try #require(store.store.evolution)
    #expect(try evolution.finishDeferredStep(isEvolving: false))
    #expect(try !evolution.finishDeferredStep(isEvolving: false))
    #expect(!store.store.metadata.hasDeferredMigration)
    #expect(try !evolution.finishDeferredStep(isEvolving: false))
    #expect(try store.values("Person", "name") == [.string("Ada")])
  }
}
