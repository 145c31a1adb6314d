// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Deletions of one side, and relationships.
extension MergePolicyCases {
  private static func deleting(
    _ name: String, _ title: String, _ policy: MergePolicy, survives: Bool
  ) -> ConformanceCase {
    two("deleted-there-\(name)", title, policy) { stack, context, other in
      let mine = try context.named("Person", "Bob")
      let id = mine.objectID
      try mine.set("age", 77)
      other.delete(try other.named("Person", "Bob"))
      try other.save()
      try context.save()
      let names = try stack.makeContext().names("Person")
      if survives {
        try expectEqual(names, ["Ada", "Bob", "Cleo", "Dan", "Eve"])
        try expect(!mine.isDeleted && mine.objectID == id, "the object lives on under its ID")
        try expectEqual(try mine.number("age"), 77)
        try mine.set("age", 78)
        try context.save()
        try expectEqual(try stack.storedNumber("age", ofPerson: "Bob"), 78)
      } else {
        try expectEqual(names, ["Ada", "Cleo", "Dan", "Eve"])
        try expect(mine.managedObjectContext == nil, "the object has left the context")
        try expect(!context.hasChanges, "nothing is pending")
      }
    }
  }

  private static func undeleting(
    _ name: String, _ title: String, _ policy: MergePolicy, survives: Bool
  ) -> ConformanceCase {
    two("deleted-here-\(name)", title, policy) { stack, context, other in
      let mine = try context.named("Person", "Bob")
      let research = try context.named("Department", "Research")
      try expectEqual(try research.names("people"), ["Ada", "Bob"])
      context.delete(mine)
      try other.named("Person", "Bob").set("age", 77)
      try other.save()
      try context.save()
      let fresh = stack.makeContext()
      if survives {
        try expect(!mine.isDeleted, "the object is not deleted any more")
        try expectEqual(try mine.number("age"), 77)
        try expectEqual(try research.names("people"), ["Ada", "Bob"], "the inverse here")
        try expectEqual(try fresh.named("Department", "Research").names("people"), ["Ada", "Bob"])
        try expect(!context.hasChanges, "nothing is pending")
      } else {
        try expectEqual(try fresh.names("Person"), ["Ada", "Cleo", "Dan", "Eve"])
      }
    }
  }

  static let deletions: [ConformanceCase] = [
    deleting(
      "object-trump", "an update of a deleted record writes it again (B183)",
      .mergeByPropertyObjectTrump, survives: true),
    deleting("overwrite", "an overwritten deletion is undone (B183)", .overwrite, survives: true),
    deleting(
      "store-trump", "the deletion by another stands (B183)", .mergeByPropertyStoreTrump,
      survives: false),
    deleting(
      "rollback", "a rolled back update of a deleted record leaves nothing (B183)", .rollback,
      survives: false),
    undeleting(
      "object-trump", "a deletion stands against an update (B184)", .mergeByPropertyObjectTrump,
      survives: false),
    undeleting(
      "overwrite", "a deletion overwrites an update (B184)", .overwrite, survives: false),
    undeleting(
      "store-trump", "the update by another keeps the object (B184)", .mergeByPropertyStoreTrump,
      survives: true),
    undeleting(
      "rollback", "a rolled back deletion keeps the object (B184)", .rollback, survives: true),
    two("deleted-twice", "what both delete is gone (B177, B184)") { stack, context, other in
      let mine = try context.named("Person", "Eve")
      _ = try mine.get("age")
      context.delete(mine)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      try context.save()
      try expectEqual(try stack.makeContext().names("Person"), ["Ada", "Bob", "Cleo", "Dan"])
    },
    two("resurrected-links", "a record that is written again has its links (B183)") {
      stack, context, other in
      let ada = try context.named("Person", "Ada")
      try expectEqual(try ada.names("projects"), ["Engine", "Notes"])
      try ada.set("age", 40)
      other.delete(try other.named("Person", "Ada"))
      try other.save()
      try context.save()
      let fresh = stack.makeContext()
      try expectEqual(try fresh.named("Person", "Ada").names("projects"), ["Engine", "Notes"])
      try expectEqual(try fresh.named("Person", "Ada").one("department")?.text("name"), "Research")
    },
    two(
      "resurrected-shared", "a record that is written again is no version that others know (B183)"
    ) {
      stack, context, other in
      for age in [50, 51] {
        try other.named("Person", "Eve").set("age", age)
        try other.save()
      }
      let third = stack.makeContext()
      let theirs = try third.named("Person", "Eve")
      try expectEqual(try theirs.number("age"), 51)
      let mine = try context.named("Person", "Eve")
      try expectEqual(try mine.number("age"), 51)
      context.detectConflicts(for: mine)
      try context.named("Person", "Ada").set("age", 1)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      try context.save()
      try theirs.set("age", 52)
      try expectError(.managedObjectMerge, "what was read from the old record") {
        try third.save()
      }
    },
    two(
      "resurrected-unlike",
      "a save over a record that was written again meanwhile is a conflict (B183, B172)"
    ) {
      stack, context, other in
      let third = stack.makeContext()
      let theirs = try third.named("Person", "Eve")
      try expect(try theirs.text("note") == nil, "what the third one has read")
      try context.named("Person", "Eve").set("note", "mine")
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      try context.save()
      try theirs.set("age", 52)
      try expectError(.managedObjectMerge, "what was read from the old record") {
        try third.save()
      }
      try expectEqual(try stack.makeContext().named("Person", "Eve").text("note"), "mine")
    },
    two("dangling", "a record that is written again does not point to what is gone (B183)") {
      stack, context, other in
      let bob = try context.named("Person", "Bob")
      try bob.set("age", 40)
      other.delete(try other.named("Person", "Bob"))
      other.delete(try other.named("Department", "Research"))
      try other.save()
      try context.save()
      let fresh = stack.makeContext()
      try expect(
        try fresh.named("Person", "Bob").one("department") == nil, "the department is gone")
    },
  ]

  private static func related(
    _ name: String, _ title: String, _ policy: MergePolicy, _ wanted: String
  ) -> ConformanceCase {
    two("to-one-\(name)", title, policy) { stack, context, other in
      let eve = try context.named("Person", "Eve")
      for department in ["Research", "Sales", "Void"] {
        _ = try context.named("Department", department).names("people")
      }
      try eve.set("department", try context.named("Department", "Sales"))
      try other.named("Person", "Eve")
        .set("department", try other.named("Department", "Void"))
      try other.save()
      try context.save()
      for other in [context, stack.makeContext()] {
        let person = try other.named("Person", "Eve")
        try expectEqual(try person.one("department")?.text("name"), wanted, "the department")
        for department in ["Research", "Sales", "Void"] {
          try expectEqual(
            try other.named("Department", department).names("people").contains("Eve"),
            department == wanted, "whether \(department) has Eve")
        }
      }
    }
  }

  static let relationships: [ConformanceCase] = [
    related(
      "store-trump", "the store's destination stands, on both sides (B179)",
      .mergeByPropertyStoreTrump, "Void"),
    related(
      "object-trump", "the object's destination stands, on both sides (B180)",
      .mergeByPropertyObjectTrump, "Sales"),
    related(
      "overwrite", "an overwritten destination is the object's (B181)", .overwrite, "Sales"),
    related("rollback", "a rolled back destination is the store's (B182)", .rollback, "Void"),
    two("links-united", "links that both add are united, whatever the policy (B179, B194)") {
      stack, context, other in
      let eve = try context.named("Person", "Eve")
      try eve.add(try context.named("Project", "Idle"), to: "projects")
      try eve.set("age", 1)
      let theirs = try other.named("Person", "Eve")
      try theirs.add(try other.named("Project", "Notes"), to: "projects")
      try theirs.set("age", 2)
      try other.save()
      try context.save()
      let fresh = stack.makeContext()
      try expectEqual(try fresh.named("Person", "Eve").names("projects"), ["Idle", "Notes"])
      try expectEqual(try eve.names("projects"), ["Idle", "Notes"], "the object")
    },
  ]
}
