// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The state that prepareForDeletion sees, and combinations of delete rules.
extension DeleteRuleCases {
  static let preparing: [ConformanceCase] = preparations + meetings

  private static let preparations: [ConformanceCase] = [
    ConformanceCase(
      .deleteRules, "prepare.intact", "prepareForDeletion sees relationships intact (B83)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage, .cascade)
      let parent = try stack.context.make("Parent", ["name": "p"])
      for name in ["a", "b"] { try stack.context.make("Child", ["name": name, "parent": parent]) }
      try stack.context.save()
      hooks.onCall = { hook, object in
        guard hook == .prepareForDeletion else { return }
        if object.entity.name == "Parent" {
          hooks.note("children \(try object.names("children"))")
        } else {
          hooks.note("parent \(try object.one("parent")?.text("name") ?? "-")")
        }
      }
      _ = try hooks.take()
      stack.context.delete(parent)
      try expectEqual(
        try hooks.take(), ["prepareForDeletion p", "children [\"a\", \"b\"]"], "what the root sees")
      stack.context.processPendingChanges()
      try expectEqual(
        try hooks.take().sorted(),
        ["parent p", "parent p", "prepareForDeletion a", "prepareForDeletion b"],
        "what the cascaded children see")
      try stack.context.save()
    },
    ConformanceCase(
      .deleteRules, "prepare.cycle", "in a cycle of cascades each object is deleted once (B96)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Node", [.string("name")], class: HookedObject.self)
      sketch.relate(
        .init("Node", "next", .one, rule: .cascade),
        .init("Node", "previous", .one, rule: .cascade))
      sketch.relateToItself(.init("Node", "all", .many, rule: .cascade))
      let stack = try stage.open(sketch.make())
      let hooks = Hooks()
      stack.context.userInfo["hooks"] = hooks
      let names = ["a", "b", "c", "d"]
      let nodes = try names.map { try stack.context.make("Node", ["name": $0]) }
      for (index, node) in nodes.enumerated() {
        try node.set("next", nodes[(index + 1) % nodes.count])
        try node.set("all", Set(nodes))
      }
      try stack.context.save()
      _ = try hooks.take()
      stack.context.delete(nodes[2])
      try stack.context.save()
      let calls = try hooks.take()
      for hook in ["prepareForDeletion", "validateForDelete", "didSave"] {
        try expectEqual(
          calls.filter { $0.hasPrefix(hook) }.count, 4, "how often \(hook) was called")
      }
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), [])
    },
  ]

  /// A parent that cascades to children, which have their own rule for their toys.
  private static func family(_ rule: DeleteRule) -> ManagedObjectModel {
    var sketch = ModelSketch()
    for name in ["Parent", "Child", "Toy"] { sketch.add(name, [.string("name")]) }
    sketch.relate(
      .init("Parent", "children", .many, rule: .cascade), .init("Child", "parent", .one))
    sketch.relate(.init("Child", "toys", .many, rule: rule), .init("Toy", "owner", .one))
    return sketch.make()
  }

  /// Saves a parent with two children, one of them with a toy; returns the parent, read again.
  private static func fill(_ stack: ConformanceStack) throws -> ManagedObject {
    let context = stack.context
    let parent = try context.make("Parent", ["name": "p"])
    let children = try ["a", "b"].map { try context.make("Child", ["name": $0, "parent": parent]) }
    try context.make("Toy", ["name": "t", "owner": children[0]])
    try context.save()
    try stack.readAnew()
    return try stack.context.named("Parent", "p")
  }

  private static let meetings: [ConformanceCase] = [
    ConformanceCase(
      .deleteRules, "cascade.into-deny", "who is reached by a cascade may deny it all (B86, B87)"
    ) { stage in
      let stack = try stage.open(family(.deny))
      let parent = try fill(stack)
      stack.context.delete(parent)
      let error = try expectError(.validationRelationshipDeniedDelete) { try stack.context.save() }
      try expectEqual(error.key, "toys", "the relationship that denies")
      try expectEqual(error.entityName, "Child", "the entity that denies")
      let fresh = stack.makeContext()
      try withExtendedLifetime(fresh) {
        try expectEqual(try fresh.names("Child"), ["a", "b"], "what is in the store (B156)")
      }
      stack.context.delete(try stack.context.named("Toy", "t"))
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Child"), [])
    },
    ConformanceCase(
      .deleteRules, "cascade.into-nullify", "a cascade ends where a rule nullifies (B85, B86)"
    ) { stage in
      let stack = try stage.open(family(.nullify))
      let parent = try fill(stack)
      stack.context.delete(parent)
      stack.context.processPendingChanges()
      try expectEqual(
        Set(try stack.context.updatedObjects.map { try $0.text("name") ?? "" }), ["t"],
        "the updated objects")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Child") + stack.context.names("Parent"), [])
      try expect(try stack.context.named("Toy", "t").one("owner") == nil, "nobody owns the toy")
    },
    ConformanceCase(
      .deleteRules, "nullify.minimum",
      "what has too few destinations after nullify cannot be saved (B9, B93)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Crew", [.string("name")])
      sketch.add("Sailor", [.string("name")])
      sketch.relate(
        .init("Crew", "sailors", .many, isOptional: false, minimum: 2),
        .init("Sailor", "crew", .one))
      let stack = try stage.open(sketch.make())
      let crew = try stack.context.make("Crew", ["name": "c"])
      let sailors = try (0..<3).map {
        try stack.context.make("Sailor", ["name": "\($0)", "crew": crew])
      }
      try stack.context.save()
      stack.context.delete(sailors[0])
      try stack.context.save()
      stack.context.delete(sailors[1])
      let error = try expectError(.validationRelationshipLacksMinimumCount) {
        try stack.context.save()
      }
      try expectEqual(error.objectIDs, [crew.objectID], "the object that has too few")
      try expectEqual(error.key, "sailors", "the relationship")
      try stack.context.make("Sailor", ["name": "3", "crew": crew])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Crew", "c").names("sailors"), ["2", "3"])
    },
  ]
}
