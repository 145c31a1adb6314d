// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

@testable import RoostConformanceKit

/// One coordinator with a store of each kind: SQLite, LMDB, PostgreSQL where there is a server, memory.
///
/// Files and schemas are removed with the object.
final class FourStores {
  let stage: ConformanceStage
  let stack: ConformanceStack
  let faults: [FaultSwitch]
  private let harnesses: [StoreHarness]

  /// The kinds, in the order of adding. Without a server the reference store stands in for it.
  static let kinds: [StoreHarness] = [
    StoresUnderTest.sqlite, StoresUnderTest.lmdb, StoresUnderTest.postgreSQL ?? .reference,
    StoresUnderTest.inMemory,
  ]

  /// Opens the stores with a model.
  ///
  /// - Parameter configurations: The configuration of each store; nil for all entities in all.
  init(_ model: ManagedObjectModel, configurations: [String]? = nil) throws {
    StoresUnderTest.prepared
    harnesses = Self.kinds
    faults = harnesses.map { _ in FaultSwitch() }
    stage = ConformanceStage(harness: StoreHarness.reference)
    var descriptions: [PersistentStoreDescription] = []
    for (index, harness) in harnesses.enumerated() {
      var description = try harness.makeEmptyStore().interposed(faults[index])
      description.configuration = configurations?[index]
      descriptions.append(description)
    }
    stack = try ConformanceStack(model: model, stores: descriptions, stage: stage)
  }

  deinit {
    stack.close()
    for description in stack.stores {
      // If this fails, the folder or the server is still removed at the end of the process.
      try? description.type.driver.destroy(description)
    }
  }

  var context: ManagedObjectContext { stack.context }
  var coordinator: PersistentStoreCoordinator { stack.coordinator }
  var stores: [any PersistentStore] { stack.coordinator.persistentStores }

  /// Returns the index of the store that has an object; nil for a new object.
  func place(of object: ManagedObject) -> Int? {
    stores.firstIndex { $0.identity.identifier == object.objectID.storeIdentity?.identifier }
  }

  /// Returns the request counters of each store during a body.
  func counting(_ body: () throws -> Void) throws -> [StoreCounters] {
    let before = stores.map { coordinator.counters(for: $0) }
    try body()
    return zip(stores, before).map { coordinator.counters(for: $0) - $1 }
  }
}

/// A model with a separate entity for each store, and tags that are in all of them.
enum ShelfModel {
  /// The configurations for the four stores, in the order of adding.
  static let configurations = ["Files", "Index", "Shared", "Scratch"]

  static func make() throws -> ManagedObjectModel {
    var sketch = ModelSketch()
    for name in ["File", "Entry", "Order", "Draft"] {
      sketch.add(name, [.string("name"), .integer("size")])
      sketch.add("\(name)Line", [.string("name"), .integer("size")])
    }
    sketch.add("Tag", [.string("name"), .integer("size")])
    for name in ["File", "Entry", "Order", "Draft"] {
      let line = "\(name)Line"
      sketch.relate(
        .init(name, "lines", .ordered, rule: .cascade), .init(line, "owner", .one))
      sketch.relate(
        .init(name, "tags", .many), .init("Tag", "of\(name)s", .many))
    }
    sketch.relate(.init("Tag", "parent", .one), .init("Tag", "children", .many))
    let model = sketch.make()
    for (configuration, name) in zip(configurations, entities) {
      try model.setEntities(
        [sketch[name], sketch["\(name)Line"], sketch["Tag"]], forConfigurationName: configuration)
    }
    return model
  }

  /// The entity that is only in one store, for each store.
  static let entities = ["File", "Entry", "Order", "Draft"]
}
