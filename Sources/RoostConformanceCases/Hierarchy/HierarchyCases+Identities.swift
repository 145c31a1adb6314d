// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore

// IDs and relationships over the levels.
extension HierarchyCases {
  static let identities: [ConformanceCase] = [
    family("temporary", "IDs stay temporary until the root is saved, and are learnt then (B207)") {
      stack, parent, child in
      let zoe = try child.make("Person", ["name": "Zoe"])
      let before = zoe.objectID
      try child.save()
      try expect(zoe.objectID.isTemporaryID, "the ID after the child's save")
      let mine = try parent.named("Person", "Zoe")
      try expectEqual(mine.objectID, before, "both have one ID")
      try parent.save()
      try expect(!mine.objectID.isTemporaryID, "the ID in the parent")
      try expectEqual(zoe.objectID, mine.objectID, "the ID in the child (B207)")
      try expect(child.registeredObject(for: mine.objectID) === zoe, "the object by its new ID")
      try expect(child.object(with: before) === zoe, "the object by its old ID")
      try expectEqual(try child.named("Person", "Zoe"), zoe, "the object that a fetch finds (B32)")
      try zoe.set("age", 7)
      try child.save()
      try parent.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Zoe"), 7)
    },
    family("new-twice", "what is new in the parent can be changed by a child (B203, B208)") {
      stack, parent, child in
      let mine = try parent.make("Person", ["name": "Zoe", "age": 1])
      let zoe = try child.named("Person", "Zoe")
      try expect(zoe.objectID == mine.objectID, "both have one ID")
      try zoe.set("age", 2)
      try child.save()
      try expectEqual(try mine.number("age"), 2)
      try expect(mine.isInserted, "the object is still new in the parent (B61)")
      try parent.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Zoe"), 2)
    },
    family("obtain", "a child gets permanent IDs before anything is saved (B28, B207)") {
      _, parent, child in
      let zoe = try child.make("Person", ["name": "Zoe"])
      try child.obtainPermanentIDs(for: [zoe])
      try expect(!zoe.objectID.isTemporaryID && zoe.isInserted, "the ID of an unsaved object")
      let id = zoe.objectID
      let yan = try child.make("Person", ["name": "Yan"])
      try child.save()
      try expectEqual(try parent.named("Person", "Zoe").objectID, id)
      try child.obtainPermanentIDs(for: [yan])
      try expect(!yan.objectID.isTemporaryID, "the ID of an object of the parent")
      try expectEqual(try parent.named("Person", "Yan").objectID, yan.objectID)
      try parent.save()
      try expectEqual(zoe.objectID, id, "the ID after the save")
    },
    family("coordinator", "a child has its root's coordinator (B334)") { stack, parent, child in
      let grandchild = ManagedObjectContext(.privateQueue, parent: child)
      try expect(
        grandchild.persistentStoreCoordinator === stack.coordinator, "the coordinator of the root")
      try expect(grandchild.parent === child && child.parent === parent, "the parents")
      try expect(parent.parent == nil, "the root has none")
    },
  ]

  static let relationships: [ConformanceCase] = [
    family(
      "unread-side",
      "a child sees what its parent changed at the other side of an object it has not read (B67, B203)"
    ) { _, parent, child in
      let (ada, bob) = (try parent.named("Person", "Ada"), try parent.named("Person", "Bob"))
      try ada.set("partner", bob)
      try parent.save()
      try parent.refresh(bob, mergeChanges: false)
      try ada.set("partner", try parent.named("Person", "Cleo"))
      let theirs = child.object(with: bob.objectID)
      try expect(try theirs.one("partner") == nil, "a fault has lost its partner")
      child.reset()
      try expect(try child.named("Person", "Bob").one("partner") == nil, "and so has a fetched one")
      try expectEqual(try child.names("Person", "partner != nil"), ["Ada", "Cleo"], "the others")
    },
    family("related", "a child's relationships reach the parent and the store (B200, B65)") {
      stack, parent, child in
      let zoe = try child.make("Person", ["name": "Zoe"])
      let lab = try child.make("Department", ["name": "Lab"])
      try zoe.set("department", lab)
      try zoe.set("manager", try child.named("Person", "Ada"))
      try child.named("Person", "Bob").set("department", lab)
      try child.named("Person", "Ada").remove(
        try child.named("Project", "Engine"), from: "projects")
      try zoe.add(try child.named("Project", "Idle"), to: "projects")
      try child.save()
      for _ in 0..<2 {
        let lab = try parent.named("Department", "Lab")
        try expectEqual(try lab.names("people"), ["Bob", "Zoe"])
        try expectEqual(try parent.named("Department", "Research").names("people"), ["Ada"])
        try expectEqual(try parent.named("Person", "Ada").names("reports"), ["Bob", "Cleo", "Zoe"])
        try expectEqual(try parent.named("Project", "Engine").names("members"), ["Bob"])
        try expectEqual(try parent.named("Project", "Idle").names("members"), ["Zoe"])
        if parent.hasChanges {
          try parent.save()
          parent.reset()
        }
      }
    },
    family("unsaved-ends", "a child follows relationships to what is new in its parent (B203)") {
      _, parent, child in
      let lab = try parent.make("Department", ["name": "Lab"])
      let zoe = try parent.make("Person", ["name": "Zoe"])
      try zoe.set("department", lab)
      try zoe.set("manager", try parent.named("Person", "Ada"))
      try parent.named("Person", "Bob").set("department", lab)
      let theirs = try child.named("Person", "Zoe")
      try expectEqual(try theirs.one("department")?.text("name"), "Lab", "a new destination")
      try expectEqual(try theirs.one("manager")?.text("name"), "Ada", "a saved destination")
      try expectEqual(
        try child.named("Person", "Bob").one("department")?.objectID, lab.objectID)
      try expectEqual(try child.named("Department", "Lab").names("people"), ["Bob", "Zoe"])
      try expectEqual(
        try child.names("Person", "department.name == 'Lab'"), ["Bob", "Zoe"], "a fetch")
    },
    family("rolled-back", "a rollback in a child leads back to the parent's state (B114, B205)") {
      _, parent, child in
      let lab = try parent.make("Department", ["name": "Lab"])
      try parent.named("Person", "Bob").set("department", lab)
      let bob = try child.named("Person", "Bob")
      try bob.set("department", nil)
      try bob.set("age", 1)
      try child.save()
      try bob.set("department", try child.named("Department", "Sales"))
      try bob.set("age", 2)
      child.rollback()
      try expect(try bob.one("department") == nil, "the department as it was saved")
      try expectEqual(try bob.number("age"), 1, "the age as it was saved")
      try expect(!bob.hasChanges, "nothing is pending")
    },
    ConformanceCase(
      .hierarchy, "ordered", "the order that a child gives is the parent's (B78, B200)"
    ) { stage in
      let stack = try stage.open(GardenModel.make())
      let parent = stack.context
      let top = try parent.make("Node", ["name": "top"])
      for name in ["a", "b", "c"] { try parent.make("Node", ["name": name, "parent": top]) }
      try parent.save()
      let child = ManagedObjectContext(.privateQueue, parent: parent)
      let theirs = child.object(with: top.objectID)
      try expectEqual(try theirs.names("children"), ["a", "b", "c"])
      let new = try child.make("Node", ["name": "d"])
      let nodes = try theirs.many("children")
      try theirs.set("children", [nodes[2], new, nodes[0]])
      try child.save()
      try expectEqual(try top.names("children"), ["c", "d", "a"], "the order in the parent")
      try parent.save()
      let fresh = stack.makeContext()
      try expectEqual(
        try fresh.object(with: top.objectID).names("children"), ["c", "d", "a"], "the stored order")
    },
  ]

  static let depth: [ConformanceCase] = [
    family("depth", "changes pass through every level, one save a level (B200, B207)") {
      stack, parent, child in
      var contexts = [parent, child]
      for _ in 0..<6 {
        contexts.append(ManagedObjectContext(.privateQueue, parent: contexts[contexts.count - 1]))
      }
      let deepest = contexts[contexts.count - 1]
      let ada = try deepest.named("Person", "Ada")
      try ada.set("age", 99)
      let zoe = try deepest.make("Person", ["name": "Zoe"])
      try zoe.set("manager", ada)
      for context in contexts.reversed() {
        try expect(context.hasChanges, "the context that is saved next has the changes")
        try context.save()
      }
      try expect(!zoe.objectID.isTemporaryID, "the ID is learnt at the bottom (B207)")
      let fresh = stack.makeContext()
      try expectEqual(try fresh.named("Person", "Ada").number("age"), 99)
      try expectEqual(try fresh.named("Person", "Zoe").one("manager")?.text("name"), "Ada")
      try expectEqual(try fresh.named("Person", "Zoe").objectID, zoe.objectID)
    },
    family("siblings", "a child sees what a sibling saved when it reads it anew (B202, B204)") {
      _, parent, child in
      let sibling = ManagedObjectContext(.privateQueue, parent: parent)
      let ada = try child.named("Person", "Ada")
      try expectEqual(try ada.number("age"), 36)
      try sibling.named("Person", "Ada").set("age", 50)
      try sibling.make("Person", ["name": "Zoe"])
      try sibling.save()
      try expectEqual(try ada.number("age"), 36, "what was read (B204)")
      try expectEqual(try child.names("Person").count, 6, "what a fetch finds (B202)")
      try child.refresh(ada, mergeChanges: false)
      try expectEqual(try ada.number("age"), 50)
    },
    family("conflict", "a conflict is the root's, with the root's policy (B200, B208)") {
      stack, parent, child in
      try child.named("Person", "Ada").set("age", 40)
      try child.save()
      let other = stack.makeContext()
      try other.named("Person", "Ada").set("note", "other")
      try other.save()
      try expectError(.managedObjectMerge) { try parent.save() }
      parent.mergePolicy = .mergeByPropertyObjectTrump
      try parent.save()
      let fresh = stack.makeContext()
      let ada = try fresh.named("Person", "Ada")
      try expectEqual(try ada.number("age"), 40)
      try expectEqual(try ada.text("note"), "other")
    },
  ]
}
