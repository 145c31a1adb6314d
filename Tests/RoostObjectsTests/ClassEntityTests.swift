// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

@Entity private final class Lantern: ManagedObject {
  var name: String = ""
}

/// Tests of the entity that a class's `entity()` returns, while models are made and released.
@Suite(.serialized) struct ClassEntityTests {
  private func container() throws -> PersistentContainer {
    try PersistentContainer(name: "Lanterns", model: ManagedObjectModel(Lantern.self), stores: [])
  }

  @Test(
    "a class stands for its entity in the model that came into use last and is still there (F45)")
  func modelsThatCome() throws {
    let first = try container()
    do {
      let second = try container()
      #expect(Lantern.entity().managedObjectModel === second.managedObjectModel)
    }
    // The second model was released, and the first one is still in use.
    #expect(Lantern.entity().managedObjectModel === first.managedObjectModel)
  }

  @Test("a class whose models have gone stands for an entity without a name (F45)")
  func modelsThatGo() throws {
    do {
      let only = try container()
      #expect(Lantern.entity().managedObjectModel === only.managedObjectModel)
    }
    #expect(Lantern.entity().name == nil)
  }
}
