// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// The metadata of a store, and its compatibility with a model.
enum MetadataCases {
  static let all: [ConformanceCase] =
    contents + compatibility + places + classes + copies + versions + destructions + waysOut
    + options + earlierNames + numbers

  private static let contents: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "type-and-identifier", "a store has a type and a UUID (B244, B322)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let store = stack.coordinator.persistentStores[0]
      let metadata = try stack.coordinator.metadata(for: store)
      try expectEqual(metadata.storeType, store.description.type.rawValue, "the type")
      try expect(UUID(uuidString: metadata.identifier) != nil, "the identifier is a UUID")
      try expectEqual(metadata.identifier, store.identity.identifier, "the identifier")
    },
    ConformanceCase(
      .metadata, "different-identifiers", "two new stores have two UUIDs (B244, B322)"
    ) { stage in
      let first = try stage.open(CompanyModel.make())
      let second = try stage.open(CompanyModel.make())
      try expect(
        first.coordinator.persistentStores[0].identity.identifier
          != second.coordinator.persistentStores[0].identity.identifier, "the UUIDs differ")
    },
    ConformanceCase(
      .metadata, "stable-identifier", "a store keeps its UUID (B244)", needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let before = stack.coordinator.persistentStores[0].identity.identifier
      try stack.reopen()
      try expectEqual(stack.coordinator.persistentStores[0].identity.identifier, before, "the UUID")
    },
    ConformanceCase(
      .metadata, "hashes", "a store remembers the version hash of each entity (B246)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try stack.reopen()
      let metadata = try stack.coordinator.metadata(for: stack.coordinator.persistentStores[0])
      try expectEqual(
        metadata.entityVersionHashes.keys.sorted(),
        ["Department", "Desk", "Person", "Project"], "the entities")
      for (name, hash) in metadata.entityVersionHashes {
        try expectEqual(hash, stack.model.entitiesByName[name]?.versionHash, "the hash of \(name)")
      }
    },
    ConformanceCase(
      .metadata, "own-values", "a program's own metadata is written by the next save (B244)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      var store = stack.coordinator.persistentStores[0]
      var metadata = try stack.coordinator.metadata(for: store)
      let values: [String: MetadataValue] = [
        "text": .string("caf\u{E9}"), "number": .integer(.min), "list": .list([.boolean(true)]),
        "bytes": .data(Data([0, 255])), "deep": .dictionary(["x": .double(0.1)]),
      ]
      metadata.userValues = values
      try stack.coordinator.setMetadata(metadata, for: store)
      try stack.context.save()
      try stack.reopen()
      store = stack.coordinator.persistentStores[0]
      try expectEqual(try stack.coordinator.metadata(for: store).userValues, values, "the values")
    },
    ConformanceCase(
      .metadata, "without-stack", "metadata is read and written without a stack (B245)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let identifier = stack.coordinator.persistentStores[0].identity.identifier
      stack.close()
      let store = stack.stores[0]
      var metadata = try require(try store.type.driver.metadata(of: store), "the metadata")
      try expectEqual(metadata.identifier, identifier, "the UUID")
      metadata.userValues["label"] = .string("x")
      try store.type.driver.setMetadata(metadata, of: store)
      try stack.reopen()
      let found = try stack.coordinator.metadata(for: stack.coordinator.persistentStores[0])
      try expectEqual(found.userValues["label"], .string("x"), "the label")
      try expectEqual(try stack.context.names("Person").count, 5, "the people")
    },
  ]

  /// A model of one entity, with more in some versions.
  static func model(
    _ edit: (EntityDescription, AttributeDescription) -> Void = { _, _ in }
  ) -> ManagedObjectModel {
    var sketch = ModelSketch()
    let size = AttributeDescription.integer("size")
    sketch.add("Thing", [.string("name"), size])
    edit(sketch["Thing"], size)
    return sketch.make()
  }

  /// Opens a store that was written with one model with another, without migrating it.
  private static func reopen(
    _ stage: ConformanceStage, with other: ManagedObjectModel
  ) throws -> ConformanceStack {
    var description = try stage.makeStore()
    let stack = try stage.open(model(), on: [description])
    try stack.context.make("Thing", ["name": "a", "size": 1])
    try stack.context.save()
    stack.close()
    description.shouldMigrateStoreAutomatically = false
    return try stage.open(other, on: [description])
  }

  private static let compatibility: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "same-model", "an equal model opens the store (B246)", needs: [.reopening]
    ) { stage in
      let stack = try reopen(stage, with: model())
      try expectEqual(try stack.context.names("Thing"), ["a"])
    },
    ConformanceCase(
      .metadata, "irrelevant-changes", "what is no part of the hash may change (B248, B249, B250)",
      needs: [.reopening]
    ) { stage in
      let changed = model { entity, size in
        entity.userInfo["x"] = "y"
        size.defaultConstant = .integer(7)
        size.minValue = .integer(0)
        size.userInfo["x"] = "y"
        entity.indexes = [
          FetchIndexDescription(
            name: "bySize", elements: [FetchIndexElementDescription(property: size)])
        ]
      }
      changed.versionIdentifiers = ["2"]
      let stack = try reopen(stage, with: changed)
      try expectEqual(try stack.context.names("Thing", "size == 1"), ["a"])
      try stack.context.make("Thing", ["name": "b"])
      try stack.context.save()
      try expectEqual(try stack.context.names("Thing", "size == 7"), ["b"])
    },
    incompatible("other-type", "another attribute type") { _, size in size.type = .integer32 },
    incompatible("other-name", "another attribute name") { _, size in size.name = "extent" },
    incompatible("more", "one more attribute") { entity, _ in
      entity.declaredProperties.append(AttributeDescription.string("more"))
    },
    incompatible("required", "an attribute that became required") { _, size in
      size.isOptional = false
    },
    incompatible("modifier", "a version hash modifier") { entity, _ in
      entity.versionHashModifier = "2"
    },
    ConformanceCase(
      .metadata, "ignored-versions", "the comparison can be left out (B247)", needs: [.reopening]
    ) { stage in
      var description = try stage.makeStore()
      let stack = try stage.open(model(), on: [description])
      try stack.context.make("Thing", ["name": "a"])
      try stack.context.save()
      stack.close()
      description.ignoresModelVersions = true
      let other = model { entity, _ in entity.versionHashModifier = "2" }
      let again = try stage.open(other, on: [description])
      try expectEqual(try again.context.names("Thing"), ["a"])
      let metadata = try again.coordinator.metadata(for: again.coordinator.persistentStores[0])
      try expectEqual(
        metadata.entityVersionHashes["Thing"], other.entitiesByName["Thing"]?.versionHash,
        "the hash that the store has now")
    },
  ]

  private static func incompatible(
    _ name: String, _ what: String,
    _ edit: @escaping @Sendable (EntityDescription, AttributeDescription) -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      .metadata, "incompatible-\(name)",
      "\(what) makes a model that does not fit (B246, B248, B249)",
      needs: [.reopening]
    ) { stage in
      try expectError(.persistentStoreIncompatibleVersionHash, "adding the store") {
        _ = try reopen(stage, with: model(edit))
      }
    }
  }

  private static let places: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "failed-opening", "a store that did not fit can be opened with its model (B246)",
      needs: [.reopening]
    ) { stage in
      var description = try stage.makeStore()
      let stack = try stage.open(model(), on: [description])
      try stack.context.make("Thing", ["name": "a"])
      try stack.context.save()
      stack.close()
      description.shouldMigrateStoreAutomatically = false
      let other = model { entity, _ in entity.versionHashModifier = "2" }
      try expectError(.persistentStoreIncompatibleVersionHash) {
        _ = try stage.open(other, on: [description])
      }
      try stack.reopen()
      try expectEqual(try stack.context.names("Thing"), ["a"])
    },
    ConformanceCase(
      .metadata, "destroyed", "a destroyed store is empty when it is made again (B239)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      stack.close()
      let store = stack.stores[0]
      try store.type.driver.destroy(store)
      try expect(try store.type.driver.metadata(of: store) == nil, "there is no store")
      try store.type.driver.destroy(store)
      try stack.reopen()
      try expectEqual(try stack.context.names("Person"), [])
    },
    ConformanceCase(
      .metadata, "replaced", "a store can take another's place (B240)", needs: [.reopening]
    ) { stage in
      let source = try stage.open(CompanyModel.make())
      try CompanyModel.fill(source.context)
      let target = try stage.open(CompanyModel.make())
      try target.context.make("Person", ["name": "old"])
      try target.context.save()
      source.close()
      target.close()
      let driver = source.stores[0].type.driver
      try driver.replace(target.stores[0], with: source.stores[0])
      try target.reopen()
      try expectEqual(try target.context.names("Person").count, 5, "the people there")
      try source.reopen()
      try expectEqual(try source.context.names("Person").count, 5, "the people here")
    },
    ConformanceCase(
      .metadata, "twice", "one place cannot be added twice to a coordinator (B243)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      do {
        try stack.coordinator.addPersistentStore(with: stack.stores[0])
        throw ExpectationFailure(message: "it is accepted", file: #fileID, line: #line)
      } catch is PersistenceError {
        try expectEqual(stack.coordinator.persistentStores.count, 1, "the stores")
      }
    },
    ConformanceCase(
      .metadata, "frozen", "a model in use cannot be edited; its copy can (B1, B2)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try expectError(.modelInUse) {
        try stack.model.setEntities([], forConfigurationName: "x")
      }
      let copy = stack.model.copy()
      try copy.setEntities([], forConfigurationName: "x")
      try expectEqual(stack.model.configurations, [], "the original's configurations")
    },
  ]
}
