// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Destinations of a child's relationships are kept, even if its parent had deleted them.
extension HierarchyCases {
  static let revivals: [ConformanceCase] = [
    family("destination", "a child's destination that the parent deletes lives on (B208)") {
      stack, parent, child in
      let eve = try child.named("Person", "Eve")
      let research = try child.named("Department", "Research")
      _ = try (eve.text("name"), research.text("name"))
      parent.delete(try parent.named("Department", "Research"))
      parent.processPendingChanges()
      try eve.set("department", research)
      try child.save()
      try parent.save()
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      let person = try fresh.named("Person", "Eve")
      try expectEqual(try person.one("department")?.text("name"), "Research")
      try expectEqual(try fresh.names("Department"), ["Research", "Sales", "Void"])
      try expectEqual(
        try fresh.named("Department", "Research").names("people"), ["Ada", "Bob", "Eve"])
    },
    family("relationships", "an object that lives on has its relationships again (B208)") {
      stack, parent, child in
      let ada = try child.named("Person", "Ada")
      _ = try ada.text("name")
      parent.delete(try parent.named("Person", "Ada"))
      parent.processPendingChanges()
      try ada.set("age", 52)
      try child.save()
      try parent.save()
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      let found = try fresh.named("Person", "Ada")
      try expectEqual(try found.number("age"), 52)
      try expectEqual(try found.one("department")?.text("name"), "Research")
      try expectEqual(try found.names("projects"), ["Engine", "Notes"])
      try expectEqual(try found.names("reports"), ["Bob", "Cleo"])
    },
    undone("undone-unsaved", "a deletion that the parent has not saved can be undone (B110, B200)")
    {
      _ in
    },
    undone("undone-saved", "a deletion that the parent has saved can be undone (B110, B200)") {
      try $0.save()
    },
    undone(
      "undone-rolled-back", "a deletion that the parent has rolled back can be undone (B110, B200)"
    ) { $0.rollback() },
    undone(
      "undone-forgotten", "a deletion that the parent has forgotten can be undone (B110, B200)"
    ) { $0.reset() },
    family(
      "undone-waiting",
      "a deletion can be undone whose rules the parent has not applied yet (B84, B110, B200)"
    ) { stack, parent, child in
      parent.propagatesDeletesAtEndOfEvent = false
      try undo(in: child, below: parent) { _ in }
      try expectMoved(stack)
    },
  ]

  /// A case in which a child deletes Ada, saves, undoes the deletion, changes her, and saves again.
  private static func undone(
    _ name: String, _ title: String,
    between: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) -> ConformanceCase {
    family(name, title) { stack, parent, child in
      try undo(in: child, below: parent, between: between)
      try expectMoved(stack)
    }
  }

  private static func undo(
    in child: ManagedObjectContext, below parent: ManagedObjectContext,
    between: (ManagedObjectContext) throws -> Void
  ) throws {
    child.undoManager = ChangeUndoManager()
    let ada = try child.named("Person", "Ada")
    child.delete(ada)
    try child.save()
    try between(parent)
    child.undo()
    try ada.set("age", 99)
    try ada.set("department", nil)
    try ada.set("projects", [try child.named("Project", "Idle")] as Set<ManagedObject>)
    try child.save()
    try expect(!child.hasChanges, "the child has saved")
    try expect(parent.deletedObjects.isEmpty, "the parent deletes nothing")
    for context in [child, parent] {
      try expectEqual(try context.names("Person"), ["Ada", "Bob", "Cleo", "Dan", "Eve"])
    }
    try parent.save()
  }

  /// Expects that the store has what the child has set, and Ada's other relationships as they were.
  private static func expectMoved(_ stack: ConformanceStack) throws {
    let fresh = stack.makeContext()
    fresh.stalenessInterval = 0
    try withExtendedLifetime(fresh) {
      let ada = try fresh.named("Person", "Ada")
      try expectEqual(try ada.number("age"), 99)
      try expect(try ada.one("department") == nil, "the department")
      try expectEqual(try ada.names("projects"), ["Idle"])
      try expectEqual(try ada.names("reports"), ["Bob", "Cleo"])
      try expectEqual(try fresh.named("Department", "Research").names("people"), ["Bob"])
      try expectEqual(try fresh.named("Project", "Engine").names("members"), ["Bob"])
    }
  }
}
