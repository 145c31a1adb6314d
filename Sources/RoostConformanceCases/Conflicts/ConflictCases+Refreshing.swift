// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Refreshing with unsaved changes, and the effect of a merge on them.
extension ConflictCases {
  static let underChanges: [ConformanceCase] = [
    two("refresh.equal-value", "an equal value does not stand against the store's (B55, B116)") {
      _, context, other in
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 36)
      try expect(ada.hasChanges, "setting an equal value is a change")
      try other.named("Person", "Ada").set("age", 50)
      try other.save()
      try context.refresh(ada, mergeChanges: true)
      try expectEqual(try ada.number("age"), 50)
    },
    two("refresh.to-many", "refreshing reads to-many relationships anew, changes on top (B116)") {
      _, context, other in
      let research = try context.named("Department", "Research")
      try expectEqual(try research.names("people"), ["Ada", "Bob"])
      try other.named("Person", "Cleo").set("department", other.named("Department", "Research"))
      try other.save()
      try research.set("name", "R")
      try context.refresh(research, mergeChanges: true)
      try expectEqual(try research.names("people"), ["Ada", "Bob", "Cleo"])
      try expectEqual(try research.text("name"), "R", "the change on top")
      try context.named("Person", "Eve").set("department", research)
      try other.named("Person", "Dan").set("department", other.named("Department", "Research"))
      try other.save()
      try context.refresh(research, mergeChanges: true)
      try expect(try research.names("people").contains("Eve"), "the change of the relationship")
    },
    two(
      "merge.pending-deletion",
      "a deletion that is pending stays of the version that it was made from (B176)"
    ) { _, context, other in
      let ada = try context.named("Person", "Ada")
      context.delete(ada)
      try other.named("Person", "Ada").set("age", 50)
      let note = Heard()
      let token = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.didSaveObjectIDsNotification, object: other, queue: nil
      ) { note.note = $0 }
      defer { NotificationCenter.default.removeObserver(token) }
      try other.save()
      context.mergeChanges(fromContextDidSave: try require(note.note, "the notification"))
      try expect(ada.isDeleted, "the deletion is still pending")
      try expectConflict(context, [ada])
      context.rollback()
      try context.refresh(ada, mergeChanges: false)
      try expectEqual(try ada.number("age"), 50)
    },
    two("merge.inverses", "a merged to-one relationship moves its inverses, too (B182)") {
      _, context, other in
      let ada = try context.named("Person", "Ada")
      let research = try context.named("Department", "Research")
      let sales = try context.named("Department", "Sales")
      try expectEqual(try research.names("people"), ["Ada", "Bob"])
      try expectEqual(try sales.names("people"), ["Cleo", "Dan"])
      try ada.set("note", "mine")
      try other.named("Person", "Ada").set("department", other.named("Department", "Sales"))
      try other.save()
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      try expect(try ada.one("department") === sales, "the department that the other gave her")
      try expectEqual(try research.names("people"), ["Bob"])
      try expectEqual(try sales.names("people"), ["Ada", "Cleo", "Dan"])
    },
    two(
      "locked.after-save", "an object that was watched is of its new version after the save (B174)"
    ) { stack, context, _ in
      let ada = try context.named("Person", "Ada")
      _ = try ada.get("age")
      context.detectConflicts(for: ada)
      try context.named("Person", "Bob").set("age", 1)
      try context.save()
      context.detectConflicts(for: ada)
      try context.named("Person", "Bob").set("age", 2)
      try context.save()
      try ada.set("age", 37)
      try context.save()
      try expectEqual(try stack.version(of: ada), 4)
    },
    two(
      "inaccessible",
      "an object whose record is gone is not validated, and the save succeeds (B157)"
    ) { stack, context, other in
      context.stalenessInterval = 0
      let id = try other.named("Person", "Eve").objectID
      let eve = context.object(with: id)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      _ = try eve.get("name")
      try expect(eve.isDeleted, "a fault without a record is a deleted object (B43)")
      try context.save()
      try expectEqual(try stack.makeContext().all("Person", "name == 'Eve'").count, 0)
    },
  ]

  private final class Heard: @unchecked Sendable {
    // Sendable: a case plays on one thread.
    var note: Notification?
  }
}
