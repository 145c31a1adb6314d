// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Remedies of the error catalogue for a store and a model that do not match: each is tried.
extension MetadataCases {
  static let waysOut: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "way-out.persistentStoreIncompatibleVersionHash",
      "a store that does not fit opens with the model that it was written with (B246)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(model())
      try stack.context.make("Thing", ["name": "a"])
      try stack.context.save()
      stack.close()
      let other = model { entity, _ in
        entity.declaredProperties.append(AttributeDescription.string("more"))
      }
      var strict = stack.stores[0]
      strict.shouldMigrateStoreAutomatically = false
      let error = try expectError(.persistentStoreIncompatibleVersionHash) {
        _ = try stage.open(other, on: [strict])
      }
      try expect(error.message.contains("Thing"), "the error names the entity: \(error.message)")
      try stack.reopen()
      try expectEqual(try stack.context.names("Thing"), ["a"])
      stack.close()
      // A new optional attribute needs no migration.
      var lenient = stack.stores[0]
      lenient.ignoresModelVersions = true
      let later = try stage.open(
        model { entity, _ in entity.declaredProperties.append(AttributeDescription.string("more"))
        }, on: [lenient])
      try later.context.named("Thing", "a").set("more", "x")
      try later.context.save()
    },
    ConformanceCase(
      .metadata, "way-out.migrationConstraintViolation",
      "records that break a new constraint are changed with the old model, and the new one opens"
        + " (B199)",
      needs: [.reopening, .uniqueness]
    ) { stage in
      func next() -> ManagedObjectModel {
        model { entity, _ in entity.uniquenessConstraints = [["size"]] }
      }
      let stack = try stage.open(model())
      for _ in 0..<2 { try stack.context.make("Thing", ["name": "a", "size": 1]) }
      try stack.context.save()
      stack.close()
      var lenient = stack.stores[0]
      lenient.ignoresModelVersions = true
      try expectError(.migrationConstraintViolation) { _ = try stage.open(next(), on: [lenient]) }
      try stack.reopen()
      try require(try stack.context.all("Thing").first).set("size", 2)
      try stack.context.save()
      stack.close()
      let later = try stage.open(next(), on: [lenient])
      try expectEqual(try later.context.all("Thing").count, 2, "the records")
      try later.context.make("Thing", ["name": "b", "size": 2])
      try expectError(.managedObjectConstraintMerge) { try later.context.save() }
    },
    ConformanceCase(
      .metadata, "way-out.persistentStoreIncompatibleSchema",
      "what only a migration can follow is refused, and the old model opens the store (B247)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(model())
      try stack.context.make("Thing", ["name": "a", "size": 1])
      try stack.context.save()
      stack.close()
      var lenient = stack.stores[0]
      lenient.ignoresModelVersions = true
      try expectError(.persistentStoreIncompatibleSchema) {
        _ = try stage.open(model { _, size in size.type = .string }, on: [lenient])
      }
      try stack.reopen()
      try expectEqual(try stack.context.named("Thing", "a").number("size"), 1)
    },
    ConformanceCase(
      .metadata, "way-out.corruptStore", "a copy takes the place of a store (B240)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(model())
      try stack.context.make("Thing", ["name": "a"])
      try stack.context.save()
      stack.close()
      let copy = try stage.makeStore()
      let driver = stack.stores[0].type.driver
      try driver.replace(copy, with: stack.stores[0])
      try driver.destroy(stack.stores[0])
      try driver.replace(stack.stores[0], with: copy)
      try stack.reopen()
      try expectEqual(try stack.context.names("Thing"), ["a"])
    },
  ]
}
