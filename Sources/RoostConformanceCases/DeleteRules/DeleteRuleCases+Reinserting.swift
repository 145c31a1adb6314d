// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Deleted objects that are inserted again before the deletion is saved.
extension DeleteRuleCases {
  private static func company(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.deleteRules, "inserted-again.\(name)", title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try body(stack, try stack.context.named("Person", "Ada"))
    }
  }

  /// Expects that Ada is stored with all of her relationships.
  private static func expectAda(_ stack: ConformanceStack) throws {
    let fresh = stack.makeContext()
    fresh.stalenessInterval = 0
    try withExtendedLifetime(fresh) {
      try expectEqual(try fresh.names("Person"), ["Ada", "Bob", "Cleo", "Dan", "Eve"])
      let ada = try fresh.named("Person", "Ada")
      try expectEqual(try ada.one("department")?.text("name"), "Research")
      try expectEqual(try ada.names("projects"), ["Engine", "Notes"])
      try expectEqual(try ada.names("reports"), ["Bob", "Cleo"])
      try expectEqual(try fresh.named("Department", "Research").names("people"), ["Ada", "Bob"])
    }
  }

  static let reinserting: [ConformanceCase] = [
    company("at-once", "inserting a deleted object takes the deletion back (B19, B90)") {
      stack, ada in
      try ada.set("age", 99)
      stack.context.delete(ada)
      stack.context.insert(ada)
      try expect(!ada.isDeleted && !ada.isInserted && ada.isUpdated, "Ada is a changed object")
      try stack.context.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 99)
      try expectAda(stack)
    },
    company("unread", "a deleted fault that is inserted again is unchanged (B19, B90)") {
      stack, _ in
      let ids = try stack.makeContext().fetch(
        FetchRequest<ObjectID>(entityName: "Person"))
      let context = stack.makeContext()
      for id in ids { context.delete(context.object(with: id)) }
      for id in ids { context.insert(context.object(with: id)) }
      try expect(!context.hasChanges, "nothing is changed")
      try context.save()
      try expectAda(stack)
    },
    company(
      "after-rules", "an object inserted again has its relationships again (B19, B85)"
    ) { stack, ada in
      stack.context.delete(ada)
      stack.context.processPendingChanges()
      try expectEqual(try ada.names("reports"), [], "the delete rules were applied")
      stack.context.insert(ada)
      try expect(stack.context.deletedObjects.isEmpty, "nothing is deleted")
      try expectEqual(try ada.names("reports"), ["Bob", "Cleo"])
      try ada.set("age", 99)
      try stack.context.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 99)
      try expectAda(stack)
    },
    company("new", "a new object that is deleted and inserted again is new (B89)") { stack, _ in
      let context = stack.context
      for endsEvent in [false, true] {
        let zoe = try context.make("Person", ["name": "Zoe"])
        context.delete(zoe)
        if endsEvent { context.processPendingChanges() }
        context.insert(zoe)
        try expect(zoe.isInserted, "it is a new object")
        try expect(zoe.managedObjectContext === context, "its context")
        context.processPendingChanges()
        try expect(zoe.isInserted, "it is a new object after the event")
      }
      try context.save()
      try expectEqual(try stack.makeContext().names("Person", "name == 'Zoe'"), ["Zoe", "Zoe"])
    },
    company("gone", "an object whose record is gone cannot be inserted again (B43)") { stack, _ in
      let context = stack.context
      let id = try stack.makeContext().named("Person", "Eve").objectID
      let other = stack.makeContext()
      other.delete(other.object(with: id))
      try other.save()
      let ghost = context.object(with: id)
      _ = try ghost.text("name")
      try expect(ghost.isDeleted, "the record is gone")
      context.insert(ghost)
      try expectError(.objectReferentialIntegrity, "the save") { try context.save() }
      try context.save()
      try expectEqual(try stack.makeContext().names("Person"), ["Ada", "Bob", "Cleo", "Dan"])
    },
  ]
}
