// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Stores that are opened with another version of their model, without a migration.
extension MetadataCases {
  static let versions: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "ignored-optional", "what is new and optional reads as nil (B247)",
      needs: [.reopening]
    ) { stage in
      let stack = try reopen(stage) { entity, _ in
        entity.declaredProperties.append(AttributeDescription.string("more"))
      }
      try expectEqual(try stack.context.names("Thing", "more == nil"), ["a", "b"])
      let thing = try stack.context.named("Thing", "a")
      try expectEqual(try thing.text("more"), nil, "the new attribute")
      try expectEqual(try thing.number("size"), 1, "the old one")
      try thing.set("more", "x")
      try stack.context.save()
      try stack.reopen()
      try expectEqual(try stack.context.names("Thing", "more == 'x'"), ["a"])
    },
    ConformanceCase(
      .metadata, "ignored-default", "what is new and demanded gets its default (B247)",
      needs: [.reopening]
    ) { stage in
      let stack = try reopen(stage) { entity, _ in
        entity.declaredProperties += [
          AttributeDescription.of("more", .integer64, optional: false, default: .integer(7)),
          AttributeDescription.of(
            "label", .string, optional: false, default: .string("none")),
        ]
      }
      for _ in 0..<2 {
        try expectEqual(try stack.context.names("Thing", "more == 7"), ["a", "b"])
        let thing = try stack.context.named("Thing", "b")
        try expectEqual(try thing.number("more"), 7, "the number")
        try expectEqual(try thing.text("label"), "none", "the text")
        try stack.reopen()
      }
      // The store is of the new version now: nothing needs to be left out any more.
      var description = stack.stores[0]
      description.ignoresModelVersions = false
      stack.close()
      let again = try stage.open(stack.model, on: [description])
      try again.context.named("Thing", "a").set("size", 3)
      try again.context.save()
      try expectEqual(try again.context.names("Thing", "size == 3 AND more == 7"), ["a"])
    },
    ConformanceCase(
      .metadata, "ignored-nil", "what may no longer be nil gets its default where it is (B247)",
      needs: [.reopening]
    ) { stage in
      let stack = try reopen(stage) { _, size in
        size.isOptional = false
        size.defaultConstant = .integer(9)
      }
      try expectEqual(try stack.context.names("Thing", "size == 9"), ["b"])
      try expectEqual(try stack.context.names("Thing", "size == 1"), ["a"])
    },
    refused("type", "another type", naming: "size") { _, size in size.type = .string },
    refused("width", "a narrower type", naming: "size") { _, size in size.type = .integer16 },
    refused("demanded", "a demanded attribute without a default", naming: "more") { entity, _ in
      entity.declaredProperties.append(
        AttributeDescription.of("more", .integer64, optional: false))
    },
    refused("no-default", "an attribute that may no longer be nil", naming: "size") { _, size in
      size.isOptional = false
    },
    refused("name", "another name of an attribute", naming: "extent") { _, size in
      size.name = "extent"
      size.renamingIdentifier = "size"
    },
    refused("entity", "another name of an entity", naming: "Object") { entity, _ in
      entity.name = "Object"
      entity.renamingIdentifier = "Thing"
    },
    refused("kind", "a relationship that was an attribute", naming: "size") { entity, size in
      entity.declaredProperties.removeAll { $0 === size }
      entity.declaredProperties.append(
        RelationshipDescription(name: "size", destination: entity, maxCount: 1))
    },
    refused("links", "a demanded relationship", naming: "next") { entity, _ in
      let next = RelationshipDescription(name: "next", destination: entity, maxCount: 1)
      next.isOptional = false
      entity.declaredProperties.append(next)
    },
    ConformanceCase(
      .metadata, "ignored-unique",
      "values that must be unique now and are not are refused (B199, B247)",
      needs: [.reopening, .uniqueness]
    ) { stage in
      var description = try stage.makeStore()
      let stack = try stage.open(model(), on: [description])
      for _ in 0..<2 { try stack.context.make("Thing", ["name": "a", "size": 1]) }
      try stack.context.save()
      stack.close()
      description.ignoresModelVersions = true
      let error = try expectError(.migrationConstraintViolation) {
        _ = try stage.open(
          model { entity, _ in entity.uniquenessConstraints = [["size"]] }, on: [description])
      }
      try expect(
        error.key == "size" || error.message.contains("size"), "the error names it: \(error)")
      try stack.reopen()
      try expectEqual(try stack.context.names("Thing"), ["a", "a"])
    },
  ]

  /// Opens a store of two things, one of them without a size, with another version of its model.
  private static func reopen(
    _ stage: ConformanceStage, with edit: (EntityDescription, AttributeDescription) -> Void
  ) throws -> ConformanceStack {
    var description = try stage.makeStore()
    let stack = try stage.open(model(), on: [description])
    try stack.context.make("Thing", ["name": "a", "size": 1])
    try stack.context.make("Thing", ["name": "b"])
    try stack.context.save()
    stack.close()
    description.ignoresModelVersions = true
    return try stage.open(model(edit), on: [description])
  }

  private static func refused(
    _ name: String, _ what: String, naming word: String,
    _ edit: @escaping @Sendable (EntityDescription, AttributeDescription) -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      .metadata, "ignored-\(name)", "\(what) is refused by its name, and nothing is changed (B247)",
      needs: [.reopening]
    ) { stage in
      var description = try stage.makeStore()
      let stack = try stage.open(model(), on: [description])
      try stack.context.make("Thing", ["name": "a", "size": 1])
      try stack.context.make("Thing", ["name": "b"])
      try stack.context.save()
      stack.close()
      description.ignoresModelVersions = true
      let error = try expectError(.persistentStoreIncompatibleSchema, "opening the store") {
        _ = try stage.open(model(edit), on: [description])
      }
      try expect(error.message.contains(word), "the error names it: \(error.message)")
      try stack.reopen()
      try expectEqual(try stack.context.names("Thing", "size == 1"), ["a"])
      try expectEqual(try stack.context.names("Thing").count, 2, "the things")
    }
  }
}
