// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Nullify, cascade, deny and no action, for every cardinality.
enum DeleteRuleCases {
  static let all: [ConformanceCase] =
    matrix + nullify + cascade + deny + noAction + deletions + waiting + preparing
    + aftermath + reinserting + returningOrders

  /// A parent and children, related by a cardinality, with a rule on the parent's side.
  private static func model(_ shape: Shape, _ rule: DeleteRule) -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Parent", [.string("name")])
    sketch.add("Child", [.string("name")])
    sketch.relate(
      .init("Parent", "children", shape.there, rule: rule), .init("Child", "parents", shape.back))
    return sketch.make()
  }

  private enum Shape: String, CaseIterable {
    case oneToOne = "one-to-one"
    case oneToMany = "one-to-many"
    case oneToManyOrdered = "one-to-many-ordered"
    case manyToOne = "many-to-one"
    case manyToMany = "many-to-many"
    case manyToManyOrdered = "many-to-many-ordered"

    var there: ModelSketch.End.Count {
      switch self {
      case .oneToOne, .manyToOne: .one
      case .oneToMany, .manyToMany: .many
      case .oneToManyOrdered, .manyToManyOrdered: .ordered
      }
    }

    var back: ModelSketch.End.Count {
      switch self {
      case .oneToOne, .oneToMany, .oneToManyOrdered: .one
      case .manyToOne, .manyToMany, .manyToManyOrdered: .many
      }
    }

    /// Returns the value of the relationship for some destinations.
    func collection(_ objects: [ManagedObject]) -> Any? {
      switch there {
      case .one: objects.first
      case .many: Set(objects)
      case .ordered: objects
      }
    }
  }

  /// Every rule with every cardinality: two parents with a child each, the first parent is deleted.
  private static let matrix: [ConformanceCase] = Shape.allCases.flatMap { shape in
    DeleteRule.allCases.map { rule in
      ConformanceCase(
        .deleteRules, "\(shape.rawValue).\(rule)",
        "\(rule) on a \(shape.rawValue) relationship (B85, B86, B87, B88)"
      ) { stage in try play(shape, rule, stage) }
    }
  }

  private static func play(
    _ shape: Shape, _ rule: DeleteRule, _ stage: ConformanceStage
  ) throws {
    let stack = try stage.open(model(shape, rule))
    let context = stack.context
    for (parent, child) in [("p", "a"), ("q", "b")] {
      let child = try context.make("Child", ["name": child])
      try context.make("Parent", ["name": parent]).set("children", shape.collection([child]))
    }
    try context.save()
    try stack.readAnew()
    let fresh = stack.context
    let orphan = try fresh.named("Child", "a")
    let version = try stack.version(of: orphan)
    fresh.delete(try fresh.named("Parent", "p"))
    fresh.processPendingChanges()
    if rule == .noAction { try expectEqual(fresh.updatedObjects, [], "the updated objects (B88)") }
    guard rule != .deny else {
      try expectError(.validationRelationshipDeniedDelete, "the save") { try fresh.save() }
      try stack.readAnew()
      try expectEqual(try stack.context.names("Parent"), ["p", "q"], "the parents")
      return
    }
    try fresh.save()
    try stack.readAnew()
    try expectEqual(try stack.context.names("Parent"), ["q"], "the parents")
    try expectEqual(
      try stack.context.names("Child"), rule == .cascade ? ["b"] : ["a", "b"], "the children")
    if rule == .nullify { try expectOrphan("a", shape, stack.context) }
    if rule == .noAction { try expectUntouched("a", version, shape, stack) }
    let other = try stack.context.named("Child", "b")
    let parents =
      shape.back == .one
      ? [try other.one("parents")?.text("name") ?? "-"] : try other.names("parents")
    try expectEqual(parents, ["q"], "the other child's parents")
  }

  /// Expects that the record was not written; where it stores the reference itself, that leads to the deleted parent
  /// (B88).
  private static func expectUntouched(
    _ name: String, _ version: Int64, _ shape: Shape, _ stack: ConformanceStack
  ) throws {
    let child = try stack.context.named("Child", name)
    try expectEqual(try stack.version(of: child), version, "the version of the child's record")
    guard shape.back == .one else { return }
    let ghost = try require(try child.one("parents"), "the child's parent")
    try expectExact(try ghost.get("name"), .null, "the name of a parent that is gone")
    try expect(ghost.isDeleted, "the parent counts as deleted (B43)")
  }

  private static func expectOrphan(
    _ name: String, _ shape: Shape, _ context: ManagedObjectContext
  ) throws {
    let child = try context.named("Child", name)
    if shape.back == .one {
      try expect(try child.one("parents") == nil, "the child has no parent")
    } else {
      try expectEqual(try child.names("parents"), [], "the child's parents")
    }
  }

  private static let nullify: [ConformanceCase] = [
    ConformanceCase(
      .deleteRules, "nullify.updates", "nullify makes the destinations updated objects (B85)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      let context = stack.context
      context.delete(try context.named("Department", "Research"))
      context.processPendingChanges()
      try expectEqual(
        Set(try context.updatedObjects.map { try $0.text("name") ?? "" }), ["Ada", "Bob"],
        "the updated objects")
      try context.save()
      try stack.readAnew()
      try expectEqual(
        try stack.context.names("Person", "department == nil"), ["Ada", "Bob", "Eve"])
    },
    ConformanceCase(
      .deleteRules, "nullify.mandatory",
      "what needs a destination and loses it cannot be saved (B93)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Parent", [.string("name")])
      sketch.add("Child", [.string("name")])
      sketch.relate(
        .init("Parent", "children", .many), .init("Child", "parent", .one, isOptional: false))
      let stack = try stage.open(sketch.make())
      let parent = try stack.context.make("Parent", ["name": "p"])
      let child = try stack.context.make("Child", ["name": "c", "parent": parent])
      try stack.context.save()
      stack.context.delete(parent)
      try expectError(.validationMissingMandatoryProperty) { try stack.context.save() }
      stack.context.delete(child)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Child"), [])
    },
  ]

  static func tree(_ rule: DeleteRule) -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Node", [.string("name")])
    sketch.relate(
      .init("Node", "children", .many, rule: rule), .init("Node", "parent", .one))
    sketch.relate(
      .init("Node", "next", .one, rule: rule), .init("Node", "previous", .one))
    return sketch.make()
  }

  private static let cascade: [ConformanceCase] = [
    ConformanceCase(.deleteRules, "cascade.deep", "cascade goes all the way down (B86)") { stage in
      let stack = try stage.open(tree(.cascade))
      var parent = try stack.context.make("Node", ["name": "0"])
      for index in 1..<500 {
        parent = try stack.context.make("Node", ["name": "\(index)", "parent": parent])
      }
      try stack.context.make("Node", ["name": "other"])
      try stack.context.save()
      try stack.readAnew()
      stack.context.delete(try stack.context.named("Node", "0"))
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), ["other"])
    },
    ConformanceCase(.deleteRules, "cascade.cycle", "a cycle of cascades ends (B96)") { stage in
      let stack = try stage.open(tree(.cascade))
      let nodes = try ["a", "b", "c"].map { try stack.context.make("Node", ["name": $0]) }
      for (index, node) in nodes.enumerated() { try node.set("next", nodes[(index + 1) % 3]) }
      try stack.context.save()
      try stack.readAnew()
      stack.context.delete(try stack.context.named("Node", "b"))
      stack.context.processPendingChanges()
      try expectEqual(stack.context.deletedObjects.count, 3, "the deleted objects")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), [])
    },
    ConformanceCase(
      .deleteRules, "cascade.before-save", "cascade is visible before the save (B84)"
    ) {
      stage in
      let stack = try stage.open(tree(.cascade))
      let root = try stack.context.make("Node", ["name": "r"])
      let leaf = try stack.context.make("Node", ["name": "l", "parent": root])
      try stack.context.save()
      stack.context.delete(root)
      stack.context.processPendingChanges()
      try expect(leaf.isDeleted, "the child is deleted")
      try expectEqual(try stack.context.names("Node"), [])
    },
    ConformanceCase(
      .deleteRules, "cascade.unsaved", "cascade forgets what was never saved (B86, B89)"
    ) { stage in
      let stack = try stage.open(tree(.cascade))
      let root = try stack.context.make("Node", ["name": "r"])
      try stack.context.save()
      try stack.context.make("Node", ["name": "l", "parent": root])
      stack.context.delete(root)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), [])
    },
    ConformanceCase(
      .deleteRules, "cascade.rollback", "a rollback cancels a cascade (B114)"
    ) { stage in
      let stack = try stage.open(tree(.cascade))
      let root = try stack.context.make("Node", ["name": "r"])
      let leaf = try stack.context.make("Node", ["name": "l", "parent": root])
      try stack.context.save()
      stack.context.delete(root)
      stack.context.processPendingChanges()
      stack.context.rollback()
      try expect(!root.isDeleted && !leaf.isDeleted, "nothing is deleted")
      try expect(try leaf.one("parent") === root, "the child has its parent")
      try expectEqual(try root.names("children"), ["l"])
      try expectEqual(try stack.context.names("Node"), ["l", "r"])
    },
  ]
}
