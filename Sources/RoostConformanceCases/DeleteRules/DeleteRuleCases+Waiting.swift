// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Deletions that are undone before their rules were applied, and rules that cannot be applied yet.
extension DeleteRuleCases {
  /// A root with a leaf, related by a rule and read again, behind a fault switch.
  private static func waiting(
    _ name: String, _ title: String, _ rule: DeleteRule = .cascade,
    _ body:
      @escaping @Sendable (ConformanceStack, FaultSwitch, _ root: ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.deleteRules, name, title) { stage in
      let (stack, faults) = try stage.openFaulty(tree(rule))
      let root = try stack.context.make("Node", ["name": "r"])
      try stack.context.make("Node", ["name": "l", "parent": root])
      try stack.context.make("Node", ["name": "n", "previous": root])
      try stack.context.save()
      try stack.readAnew()
      try body(stack, faults, try stack.context.named("Node", "r"))
      faults.clear()
    }
  }

  private static func expectWhole(_ stack: ConformanceStack, _ root: ManagedObject) throws {
    try expect(root.managedObjectContext === stack.context, "the object is of its context")
    try stack.context.save()
    try stack.readAnew()
    try expectEqual(try stack.context.names("Node"), ["l", "n", "r"], "the records")
    try expectEqual(
      try stack.context.named("Node", "r").names("children"), ["l"], "the relationship")
  }

  static let waiting: [ConformanceCase] = [
    waiting(
      "refreshed", "a deletion that a refresh cancels has no consequences (B46, B84)"
    ) { stack, _, root in
      stack.context.delete(root)
      try stack.context.refresh(root, mergeChanges: false)
      try expectWhole(stack, root)
    },
    waiting(
      "refreshed-nullify", "a deletion that a refresh cancels severs nothing (B46, B85)", .nullify
    ) { stack, _, root in
      stack.context.delete(root)
      try stack.context.refresh(root, mergeChanges: false)
      try expectWhole(stack, root)
    },
    waiting(
      "refreshed-rollback", "a rollback forgets no object whose deletion is cancelled (B46, B114)"
    ) { stack, _, root in
      stack.context.delete(root)
      try stack.context.refresh(root, mergeChanges: false)
      stack.context.rollback()
      try expectWhole(stack, root)
    },
    waiting(
      "undone", "a deletion that is undone before its rules apply has no consequences (B84, B110)"
    ) { stack, _, root in
      stack.context.undoManager = ChangeUndoManager()
      stack.context.propagatesDeletesAtEndOfEvent = false
      stack.context.delete(root)
      stack.context.undo()
      try expect(!root.isDeleted, "the root is back")
      try expectWhole(stack, root)
    },
    waiting(
      "revived", "a deletion in a parent that a child's change revives has no consequences (B208)"
    ) { stack, _, root in
      let parent = stack.context
      parent.propagatesDeletesAtEndOfEvent = false
      let child = ManagedObjectContext(.privateQueue, parent: parent)
      let same = try child.named("Node", "r")
      _ = try same.text("name")
      parent.delete(root)
      try same.set("name", "r")
      try same.set("previous", nil)
      try same.set("name", "s")
      try child.save()
      try expect(!root.isDeleted, "the root is back")
      try parent.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), ["l", "n", "s"], "the records")
      try expectEqual(
        try stack.context.named("Node", "s").names("children"), ["l"], "the relationship")
    },
    waiting(
      "unread-event", "rules that could not be applied at the end of an event apply later (B84)"
    ) { stack, faults, root in
      stack.context.delete(root)
      faults.fail(.destinations)
      stack.context.processPendingChanges()
      try expectEqual(stack.context.deletedObjects, [root], "the deleted objects")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), [], "the records")
    },
    waiting(
      "unread-save", "a save whose delete rules cannot be applied writes nothing (B86, B171)"
    ) { stack, faults, root in
      stack.context.propagatesDeletesAtEndOfEvent = false
      stack.context.delete(root)
      faults.fail(.destinations)
      try expectError(.persistentStoreOperation, "the save") { try stack.context.save() }
      try expect(root.isDeleted, "the deletion is pending")
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      try expectEqual(try fresh.names("Node"), ["l", "n", "r"], "the records")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Node"), [], "the records after another attempt")
    },
    waiting(
      "unread-deny", "what could not be read does not let a denied deletion pass (B87, B171)", .deny
    ) { stack, faults, root in
      stack.context.propagatesDeletesAtEndOfEvent = false
      stack.context.delete(root)
      faults.fail(.destinations)
      try expectError(.persistentStoreOperation, "the save") { try stack.context.save() }
      let error = try expectError(.validationMultipleErrors, "another attempt") {
        try stack.context.save()
      }
      try expect(
        error.underlyingErrors.allSatisfy { $0.code == .validationRelationshipDeniedDelete },
        "the children and the next one deny it")
    },
    waiting(
      "explicit", "delete rules read what they need, as that is no implicit trip (B85)", .nullify
    ) { stack, _, root in
      stack.context.allowsImplicitRoundTrips = false
      stack.context.delete(root)
      try stack.context.save()
      try stack.readAnew()
      let next = try stack.context.named("Node", "n")
      try expect(try next.one("previous") == nil, "the next one has no previous")
    },
  ]
}
