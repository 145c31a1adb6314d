// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Entities that come, go, are called otherwise, and move in their hierarchies.
extension EvolutionCases {
  static let entities: [ConformanceCase] = [
    .evolution(
      "add-entity", "a new entity has no records (M12)",
      EvolutionPair(
        old: { $0 = things() },
        new: {
          $0 = things()
          $0.add("Other", [.string("name")])
        },
        fill: { try EvolutionThings.fill($0) },
        expectation: { context in
          try EvolutionThings.expect(context)
          try expectEqual(try context.names("Other"), [])
        })),
    .evolution(
      "remove-entity",
      "the records of a removed entity go, and those of others stay (B261, M12, M17)",
      EvolutionPair(
        old: {
          $0 = things()
          $0.add("Other", [.string("name")])
          $0.relate(.init("Thing", "other", .one), .init("Other", "things", .many))
          $0.relate(.init("Thing", "friends", .many), to: "Other")
        },
        new: { $0 = things() },
        fill: { context in
          try EvolutionThings.fill(context)
          let other = try context.make("Other", ["name": "o"])
          for thing in try context.all("Thing") {
            try thing.set("other", other)
            try thing.add(other, to: "friends")
          }
        }, expectation: { try EvolutionThings.expect($0) })),
    .evolution(
      "entity-replaced",
      "an entity under the name of a removed one has none of its records (M8, M12)",
      EvolutionPair(
        old: {
          $0 = things()
          $0.add("Other", [.string("name")])
          $0.add("Part", [.string("name")])
        },
        new: {
          $0 = things()
          $0.add("Other", [.string("name")]).renamingIdentifier = "Part"
        },
        fill: { context in
          try EvolutionThings.fill(context)
          for name in ["a", "b"] {
            try context.make("Other", ["name": name])
            try context.make("Part", ["name": "part " + name])
          }
        },
        expectation: { context in
          try EvolutionThings.expect(context)
          try expectEqual(try context.names("Other"), ["part a", "part b"])
        })),
    .evolution(
      "rename-entity", "a renamed entity keeps its records, links and IDs (M8, M12, M16)",
      EvolutionPair(
        old: { links("Thing", &$0) },
        new: {
          links("Object", &$0)
          $0["Object"].renamingIdentifier = "Thing"
        },
        fill: { try fillLinks($0, "Thing") },
        expectation: { try expectLinks($0, "Object") })),
    ConformanceCase(
      .evolution, "former-uri",
      "the URI from before an entity was renamed leads to its record (M16)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(things().make())
      let thing = try stack.context.make("Thing", ["name": "a"])
      try stack.context.save()
      let uri = thing.objectID.uriRepresentation()
      stack.close()
      var sketch = things("Object")
      sketch["Object"].renamingIdentifier = "Thing"
      sketch.add("Unrelated", [])
      let later = try stage.open(sketch.make(), on: stack.stores)
      let id = try require(
        later.coordinator.managedObjectID(forURIRepresentation: uri), "the ID of the old URI")
      try expectEqual(id.entity.name, "Object")
      try expectEqual(try later.context.existingObject(with: id).text("name"), "a")
      try expect(
        id.uriRepresentation().absoluteString.contains("/Object/"), "the new URI has the new name")
    },
    ConformanceCase(
      .evolution, "taken-codes",
      "the code of an entity that was removed is not given to another one (M16)",
      needs: [.reopening, .evolution]
    ) { stage in
      var sketch = things()
      // The last one by its name has the largest code.
      sketch.add("Zone", [.string("name")])
      let stack = try stage.open(sketch.make())
      let zone = try stack.context.make("Zone", ["name": "z"])
      try stack.context.save()
      let uri = zone.objectID.uriRepresentation()
      let codes = try require(stack.coordinator.persistentStores.first).metadata.entityCodes
      stack.close()
      try stage.open(things().make(), on: stack.stores).close()
      var later = things()
      later.add("Young", [.string("name")])
      let last = try stage.open(later.make(), on: stack.stores)
      try last.context.make("Young", ["name": "y"])
      try last.context.save()
      let now = try require(last.coordinator.persistentStores.first).metadata.entityCodes
      let young = try require(now["Young"], "the code of a new entity")
      try expect(!codes.values.contains(young), "\(young) is none of \(codes)")
      let id = last.coordinator.managedObjectID(forURIRepresentation: uri)
      try expect(id == nil, "the URI of a removed record leads to \(String(describing: id))")
    },
    .evolution(
      "swap-entities", "two entities that exchange their names keep their own records (M8)",
      EvolutionPair(
        old: {
          $0.add("A", [.string("name")])
          $0.add("B", [.string("name"), .integer("size")])
        },
        new: {
          $0.add("B", [.string("name")]).renamingIdentifier = "A"
          $0.add("A", [.string("name"), .integer("size")]).renamingIdentifier = "B"
        },
        fill: { context in
          for index in 0..<5 {
            try context.make("A", ["name": "a\(index)"])
            try context.make("B", ["name": "b\(index)", "size": index])
          }
        },
        expectation: { context in
          try expectEqual(try context.names("B"), (0..<5).map { "a\($0)" })
          try expectEqual(try context.names("A", "size >= 3"), ["b3", "b4"])
        })),
  ]

  static let hierarchies: [ConformanceCase] = [
    .evolution(
      "up", "an attribute that moves up to the superentity keeps its values (M12)",
      EvolutionPair(
        old: { hierarchy(&$0, ownSize: true) }, new: { hierarchy(&$0, ownSize: false) },
        fill: { try fillHierarchy($0) }, expectation: { try expectHierarchy($0) })),
    .evolution(
      "down", "an attribute that moves down to a subentity keeps its values there (M12)",
      EvolutionPair(
        old: { hierarchy(&$0, ownSize: false) }, new: { hierarchy(&$0, ownSize: true) },
        fill: { try fillHierarchy($0) }, expectation: { try expectHierarchy($0) })),
    .evolution(
      "new-parent", "entities that get a superentity keep their records (M12)",
      EvolutionPair(
        old: {
          $0.add("Person", [.string("name"), .integer("size")])
          $0.add("Animal", [.string("name")])
        },
        new: {
          $0.add("Being", [.of("alive", .boolean, default: .boolean(true))], isAbstract: true)
          $0.add("Person", [.string("name"), .integer("size")], parent: "Being")
          $0.add("Animal", [.string("name")])
        },
        fill: { context in
          for index in 0..<4 {
            try context.make("Person", ["name": "p\(index)", "size": index])
            try context.make("Animal", ["name": "a\(index)"])
          }
        },
        expectation: { context in
          try expectEqual(
            try context.names("Person", "size < 2 AND alive == YES"), ["p0", "p1"])
          try expectEqual(try context.names("Animal").count, 4)
          try expectEqual(try context.count(for: context.request("Person", nil, [])), 4)
        })),
    .evolution(
      "new-child", "a new subentity has no records, and its siblings keep theirs (M12)",
      EvolutionPair(
        old: { hierarchy(&$0, ownSize: false) },
        new: {
          hierarchy(&$0, ownSize: false)
          $0.add("Guest", [.string("badge")], parent: "Person")
        },
        fill: { try fillHierarchy($0) },
        expectation: { context in
          try expectHierarchy(context)
          try expectEqual(try context.names("Guest"), [])
        })),
    .evolution(
      "concrete", "an entity that is no longer abstract can have records (M12)",
      EvolutionPair(
        old: { hierarchy(&$0, ownSize: false, isAbstract: true) },
        new: { hierarchy(&$0, ownSize: false) },
        fill: { context in
          for index in 0..<4 { try context.make("Worker", ["name": "w\(index)", "size": index]) }
        },
        expectation: { context in
          try expectEqual(try context.names("Person").count, 4)
          try expectEqual(try context.names("Worker", "size == 2"), ["w2"])
        })),
    .evolution(
      "abstract", "an entity without records can become abstract (M12)",
      EvolutionPair(
        old: { hierarchy(&$0, ownSize: false) },
        new: { hierarchy(&$0, ownSize: false, isAbstract: true) },
        fill: { context in
          for index in 0..<4 { try context.make("Worker", ["name": "w\(index)", "size": index]) }
        },
        expectation: { context in
          try expectEqual(try context.names("Person").count, 4)
        })),
  ]

  private static func hierarchy(
    _ sketch: inout ModelSketch, ownSize: Bool, isAbstract: Bool = false
  ) {
    sketch.add(
      "Person", [.string("name")] + (ownSize ? [] : [.integer("size")]), isAbstract: isAbstract)
    sketch.add("Worker", [.string("role")] + (ownSize ? [.integer("size")] : []), parent: "Person")
  }

  private static func fillHierarchy(_ context: ManagedObjectContext) throws {
    for index in 0..<6 {
      try context.make("Person", ["name": "p\(index)"])
      try context.make("Worker", ["name": "w\(index)", "role": "r\(index)", "size": index])
    }
  }

  private static func expectHierarchy(_ context: ManagedObjectContext) throws {
    try expectEqual(try context.names("Worker", "size >= 4"), ["w4", "w5"])
    try expectEqual(try context.names("Worker", "role == 'r1'"), ["w1"])
    try expectEqual(try context.names("Person").count, 12)
    try expectEqual(try context.named("Worker", "w3").number("size"), 3)
  }

  // MARK: Links

  private static func links(_ name: String, _ sketch: inout ModelSketch) {
    sketch.add(name, EvolutionThings.attributes())
    sketch.add("Other", [.string("name")])
    sketch.relate(.init(name, "other", .one), .init("Other", "things", .ordered))
    sketch.relate(.init(name, "tags", .ordered), .init("Other", "tagged", .many))
    sketch.relateToItself(.init(name, "friends", .many))
    sketch.relate(.init(name, "seen", .many), to: name)
  }

  private static func fillLinks(_ context: ManagedObjectContext, _ name: String) throws {
    try EvolutionThings.fill(context, entity: name)
    let things = try context.all(name)
    let others = try ["a", "b", "c"].map { try context.make("Other", ["name": $0]) }
    for (index, thing) in things.enumerated() {
      try thing.set("other", others[index % 3])
      try thing.set("tags", [others[2 - index % 3], others[(index + 1) % 3]])
      try thing.add(things[(index + 1) % things.count], to: "friends")
      try thing.add(things[(index + 5) % things.count], to: "seen")
    }
    try others[0].set("things", Array(others[0].many("things").reversed()))
  }

  private static func expectLinks(_ context: ManagedObjectContext, _ name: String) throws {
    try EvolutionThings.expect(context, entity: name)
    let things = try context.all(name)
    try expectEqual(things.count, EvolutionThings.count)
    let letters = ["a", "b", "c"]
    for (index, thing) in things.enumerated() {
      try expectEqual(try thing.one("other")?.text("name"), letters[index % 3])
      var tags = [letters[2 - index % 3]]
      if letters[(index + 1) % 3] != tags[0] { tags.append(letters[(index + 1) % 3]) }
      try expectEqual(try thing.names("tags"), tags, "the tags of \(index)")
      let count = things.count
      try expectEqual(
        try thing.names("friends"),
        [(index + 1) % count, (index + count - 1) % count].map(EvolutionThings.name).sorted())
      try expectEqual(try thing.names("seen"), [EvolutionThings.name((index + 5) % count)])
    }
    let first = try context.named("Other", "a")
    try expectEqual(
      try first.names("things"), EvolutionThings.names { $0 % 3 == 0 }.reversed(), "in their order")
    try expectEqual(
      try context.names(name, "ANY tags.name == 'a' AND other.name == 'b'").count,
      try things.filter {
        try $0.names("tags").contains("a") && $0.one("other")?.text("name") == "b"
      }.count)
  }
}
