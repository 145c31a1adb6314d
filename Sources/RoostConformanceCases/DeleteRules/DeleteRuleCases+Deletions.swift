// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension DeleteRuleCases {
  static let deny: [ConformanceCase] = [
    ConformanceCase(
      .deleteRules, "deny.emptied", "an emptied relationship denies nothing (B87)"
    ) { stage in
      let stack = try stage.open(tree(.deny))
      let root = try stack.context.make("Node", ["name": "r"])
      let leaf = try stack.context.make("Node", ["name": "l", "parent": root])
      try stack.context.save()
      stack.context.delete(root)
      try expectError(.validationRelationshipDeniedDelete) { try stack.context.save() }
      try expect(root.isDeleted, "the deletion is still pending")
      stack.context.rollback()
      try leaf.set("parent", nil)
      stack.context.delete(root)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), ["l"])
    },
    ConformanceCase(
      .deleteRules, "deny.both-deleted", "destinations that are deleted too deny nothing (B87)"
    ) { stage in
      let stack = try stage.open(tree(.deny))
      let root = try stack.context.make("Node", ["name": "r"])
      let leaf = try stack.context.make("Node", ["name": "l", "parent": root])
      try stack.context.save()
      stack.context.delete(root)
      stack.context.delete(leaf)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), [])
    },
  ]

  static let noAction: [ConformanceCase] = [
    ConformanceCase(
      .deleteRules, "no-action.dangling",
      "without an inverse, a reference to a deleted object becomes an inaccessible fault (B71, B43)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Note", [.string("name")])
      sketch.add("Page", [.string("name")])
      sketch.relate(.init("Note", "page", .one), to: "Page")
      let stack = try stage.open(sketch.make())
      let page = try stack.context.make("Page", ["name": "p"])
      try stack.context.make("Note", ["name": "n", "page": page])
      try stack.context.save()
      stack.context.delete(page)
      try stack.context.save()
      try stack.readAnew()
      let ghost = try require(try stack.context.named("Note", "n").one("page"), "the destination")
      try expectExact(try ghost.get("name"), .null, "a value of the ghost")
      try expect(ghost.isDeleted, "it is marked as deleted (B43)")
      try stack.context.save()
    }
  ]

  static let deletions: [ConformanceCase] = [
    ConformanceCase(
      .deleteRules, "unsaved-cycle",
      "a never-saved object that cascades to itself is forgotten (B89, B96)"
    ) { stage in
      let stack = try stage.open(tree(.cascade))
      let node = try stack.context.make("Node", ["name": "a"])
      try node.set("parent", node)
      stack.context.delete(node)
      stack.context.processPendingChanges()
      try expect(!stack.context.hasChanges, "nothing is left to save")
    },
    ConformanceCase(
      .deleteRules, "unsaved-twice", "a never-saved object that is deleted twice is forgotten (B89)"
    ) { stage in
      let stack = try stage.open(tree(.nullify))
      let node = try stack.context.make("Node", ["name": "a"])
      stack.context.delete(node)
      stack.context.delete(node)
      try expect(stack.context.deletedObjects.isEmpty, "nothing is deleted")
      try stack.context.save()
    },
    ConformanceCase(
      .deleteRules, "unsaved-denied", "nobody denies that a never-saved object goes (B87, B89)"
    ) { stage in
      let stack = try stage.open(tree(.deny))
      let root = try stack.context.make("Node", ["name": "r"])
      let leaf = try stack.context.make("Node", ["name": "l", "parent": root])
      stack.context.delete(root)
      try stack.context.save()
      try expect(try leaf.one("parent") == nil, "the child has no parent")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), ["l"])
    },
    ConformanceCase(
      .deleteRules, "rollback-after-reading",
      "a rollback brings a deleted member back to a relationship that was read meanwhile (B114)"
    ) { stage in
      let stack = try stage.open(tree(.nullify))
      let root = try stack.context.make("Node", ["name": "r"])
      try stack.context.make("Node", ["name": "l", "parent": root])
      try stack.context.save()
      let id = root.objectID
      try stack.readAnew()
      stack.context.delete(try stack.context.named("Node", "l"))
      stack.context.processPendingChanges()
      let again = stack.context.object(with: id)
      try expectEqual(try again.names("children"), [], "the children while one is deleted")
      stack.context.rollback()
      try expectEqual(try again.names("children"), ["l"], "the children after the rollback")
    },
    ConformanceCase(
      .deleteRules, "unsaved", "a never-saved object is just forgotten (B89)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let person = try stack.context.make("Person", ["name": "Ada"])
      stack.context.delete(person)
      try expect(!stack.context.hasChanges, "nothing is left to save")
      try expect(stack.context.deletedObjects.isEmpty, "nothing is deleted")
      try stack.context.save()
      try expectEqual(try stack.context.names("Person"), [])
    },
    ConformanceCase(
      .deleteRules, "modified", "a modified object that is deleted is only deleted (B62)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let person = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      try person.set("age", 1)
      stack.context.delete(person)
      try expectEqual(stack.context.deletedObjects, [person])
      try expect(stack.context.updatedObjects.isEmpty, "it is updated no more")
      try expect(person.isDeleted, "isDeleted is true until the save (B90)")
      try stack.context.save()
      try expect(person.managedObjectContext == nil, "it has no context afterwards (B90)")
    },
    ConformanceCase(.deleteRules, "many", "many objects are deleted in one save (B169)") { stage in
      let stack = try stage.open(CompanyModel.make())
      for index in 0..<300 { try stack.context.make("Person", ["name": "\(index)"]) }
      try stack.context.save()
      for person in try stack.context.all("Person") { stack.context.delete(person) }
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person"), [])
    },
  ]
}
