// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Values that must be unique, and policies that make one object of two.
enum UpsertCases {
  static let all: [ConformanceCase] = stored + pending + records + failures + reports

  private static func makeModel() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add(
      "Contact",
      [
        .string("name"), .string("email"), .string("phone"),
        .of("score", .integer64, default: .integer(1)),
      ], unique: [["email"], ["phone"]])
    sketch.add("Client", [.string("number")], parent: "Contact")
    sketch.add("Firm", [.string("name")])
    sketch.add("Letter", [.string("name")])
    sketch.add("List", [.string("name")])
    sketch.relate(.init("Contact", "firm", .one), .init("Firm", "contacts", .many))
    sketch.relate(.init("Contact", "letters", .many), .init("Letter", "sender", .one))
    sketch.relate(.init("Contact", "lists", .many), .init("List", "members", .many))
    return sketch.make()
  }

  private static func upsert(
    _ name: String, _ title: String, _ policy: MergePolicy = .mergeByPropertyObjectTrump,
    _ body: @escaping @Sendable (ConformanceStack, ManagedObjectContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.constraints, "upsert-\(name)", title, needs: [.uniqueness]) { stage in
      let stack = try stage.open(makeModel())
      let old = try stack.context.make(
        "Contact", ["name": "old", "email": "x", "score": 5])
      try old.set("firm", try stack.context.make("Firm", ["name": "F1"]))
      try stack.context.make("Letter", ["name": "L1", "sender": old])
      try old.add(try stack.context.make("List", ["name": "A"]), to: "lists")
      try stack.context.make("Firm", ["name": "F2"])
      try stack.context.make("List", ["name": "B"])
      try stack.context.save()
      try stack.readAnew()
      stack.context.mergePolicy = policy
      try body(stack, stack.context)
    }
  }

  /// A contact in one line.
  private static func line(_ contact: ManagedObject) throws -> String {
    let firm = try contact.one("firm")?.text("name") ?? "-"
    return [
      try contact.text("name") ?? "-", try contact.text("email") ?? "-",
      try contact.text("phone") ?? "-", "\(try contact.number("score") ?? 0)", firm,
      try contact.names("letters").joined(separator: "+"),
      try contact.names("lists").joined(separator: "+"),
    ].joined(separator: " ")
  }

  private static func contacts(_ stack: ConformanceStack) throws -> [String] {
    let fresh = stack.makeContext()
    fresh.stalenessInterval = 0
    return try fresh.all("Contact").map(line)
  }

  /// A new contact with the old one's address.
  private static func makeNew(_ context: ManagedObjectContext) throws -> ManagedObject {
    let new = try context.make("Contact", ["name": "new", "email": "x", "phone": "1"])
    try new.set("firm", try context.named("Firm", "F2"))
    try context.make("Letter", ["name": "L2", "sender": new])
    try new.add(try context.named("List", "B"), to: "lists")
    return new
  }

  private static func taking(
    _ name: String, _ title: String, _ policy: MergePolicy, _ wanted: String
  ) -> ConformanceCase {
    upsert(name, title, policy) { stack, context in
      let id = try stack.makeContext().named("Contact", "old").objectID
      let new = try makeNew(context)
      try context.save()
      try expectEqual(new.objectID, id, "the ID that survives (B194)")
      try expect(!context.hasChanges && new.managedObjectContext === context, "the object is saved")
      try expectEqual(try line(new), wanted, "the object")
      try expectEqual(try contacts(stack), [wanted], "the store (B193)")
      try new.set("name", "later")
      try context.save()
      try expectEqual(try stack.makeContext().names("Contact"), ["later"])
    }
  }

  private static let stored: [ConformanceCase] = [
    taking(
      "object-trump", "a new object takes the record over, with its own values (B193, B194)",
      .mergeByPropertyObjectTrump, "new x 1 5 F2 L1+L2 A+B"),
    taking(
      "store-trump", "a new object fills what the record leaves open (B193, B194)",
      .mergeByPropertyStoreTrump, "old x 1 5 F1 L1+L2 A+B"),
    taking(
      "overwrite", "a new object replaces the record's values (B193, B194)", .overwrite,
      "new x 1 1 F2 L1+L2 A+B"),
    taking(
      "rollback", "a new object becomes the record as it is (B193, B194)", .rollback,
      "old x - 5 F1 L1 A"),
    upsert("registered", "the object that stood for the record makes room (B32, B194)") {
      stack, context in
      let old = try context.named("Contact", "old")
      let firm = try require(try old.one("firm"))
      try expectEqual(try firm.names("contacts"), ["old"])
      let letter = try context.named("Letter", "L1")
      try expect(try letter.one("sender") === old, "the sender before")
      let new = try context.make("Contact", ["name": "new", "email": "x"])
      try context.save()
      try expect(old.managedObjectContext == nil, "the old object has left")
      try expect(context.registeredObject(for: new.objectID) === new, "one object a record (B32)")
      try expect(try letter.one("sender") === new, "the sender after")
      try expectEqual(try firm.names("contacts"), ["new"], "the firm's contacts")
      try expectEqual(try contacts(stack), ["new x - 5 F1 L1 A"])
    },
    upsert("many", "a hundred new objects meet fifty records (B193)") { stack, context in
      let other = stack.makeContext()
      for index in 0..<50 {
        try other.make("Contact", ["name": "o\(index)", "email": "\(index)"])
      }
      try other.save()
      for index in 0..<100 {
        try context.make("Contact", ["name": "n\(index)", "email": "\(index)"])
      }
      try context.save()
      let names = try stack.makeContext().names("Contact")
      try expectEqual(names.count, 101, "the records")
      try expectEqual(names.filter { $0.hasPrefix("n") }.count, 100, "the new names")
    },
    upsert("meanwhile", "a record that another context made meanwhile is taken over (B190, B193)") {
      stack, context in
      let new = try context.make("Contact", ["name": "new", "email": "y"])
      let other = stack.makeContext()
      let theirs = try other.make("Contact", ["name": "theirs", "email": "y", "score": 9])
      try other.save()
      try context.save()
      try expectEqual(new.objectID, theirs.objectID, "the ID")
      try expectEqual(try contacts(stack), ["new y - 9 -  ", "old x - 5 F1 L1 A"])
    },
    upsert("subentity", "an object of another entity cannot have the ID (B194, B196)") {
      stack, context in
      let client = try context.make("Client", ["name": "client", "email": "x"])
      try context.save()
      try expectEqual(try stack.makeContext().names("Contact"), ["client"])
      try expectEqual(client.objectID.entity.name, "Client")
    },
    upsert("versions-first", "versions are resolved before values (B192)") { stack, context in
      let old = try context.named("Contact", "old")
      try old.set("name", "mine")
      let other = stack.makeContext()
      try other.named("Contact", "old").set("score", 8)
      try other.save()
      let twin = try context.make("Contact", ["name": "twin", "email": "x"])
      try context.save()
      try expectEqual(try contacts(stack), ["twin x - 8 F1 L1 A"])
      try expect(twin.managedObjectContext === context, "the new object stands for the record")
    },
  ]

  private static func colliding(
    _ name: String, _ title: String, _ policy: MergePolicy, _ wanted: String
  ) -> ConformanceCase {
    upsert("pending-\(name)", title, policy) { stack, context in
      let first = try context.make("Contact", ["name": "first", "email": "y"])
      try context.make("Letter", ["name": "L3", "sender": first])
      let second = try context.make("Contact", ["name": "second", "email": "y", "phone": "2"])
      try context.make("Letter", ["name": "L4", "sender": second])
      try context.save()
      try expect(second.managedObjectContext == nil, "the later object has left")
      try expectEqual(try line(first), wanted, "the object that is left")
      try expectEqual(
        try contacts(stack).filter { !$0.hasPrefix("old") }, [wanted], "the store (B193)")
    }
  }

  private static let pending: [ConformanceCase] = [
    upsert(
      "many-twice", "many new objects take over records in one save, duplicates included (B194)"
    ) {
      stack, context in
      let firms = try ["F1", "F2"].map { try context.named("Firm", $0) }
      for number in 0..<20 {
        let stored = try context.make("Contact", ["name": "s\(number)", "email": "\(number)"])
        try stored.set("firm", firms[0])
        try context.make("Letter", ["name": "a\(number)", "sender": stored])
      }
      try context.save()
      let letters = try context.all("Letter")
      for letter in letters { _ = try letter.one("sender")?.text("name") }
      try expectEqual(try firms[0].names("contacts").count, 21, "the first firm's contacts")
      for number in 0..<20 {
        let first = try context.make("Contact", ["name": "n\(number)", "email": "\(number)"])
        try context.make("Letter", ["name": "b\(number)", "sender": first])
        let second = try context.make("Contact", ["phone": "p\(number)", "email": "\(number)"])
        try second.set("firm", firms[1])
      }
      try context.save()
      try expectEqual(try firms[0].names("contacts"), ["old"], "the first firm's contacts")
      try expectEqual(try firms[1].names("contacts").count, 20, "the second firm's contacts")
      for letter in letters {
        try expect(try letter.one("sender")?.managedObjectContext === context, "a living sender")
      }
      for number in 0..<20 {
        let line = "n\(number) \(number) p\(number) 1 F2 a\(number)+b\(number) "
        try expect(try contacts(stack).contains(line), line)
      }
    },
    colliding(
      "object-trump", "of new objects with one value the later's values stand (B190, B193)",
      .mergeByPropertyObjectTrump, "second y 2 1 - L3+L4 "),
    colliding(
      "store-trump", "of new objects with one value the earlier's values stand (B190, B193)",
      .mergeByPropertyStoreTrump, "first y 2 1 - L3+L4 "),
    colliding(
      "rollback", "of new objects with one value the later is dropped (B190, B193)", .rollback,
      "first y - 1 - L3 "),
    upsert("pending-record", "a new object and a changed one with one value become one (B193)") {
      stack, context in
      let other = try context.make("Contact", ["name": "b", "email": "y"])
      try context.save()
      try other.set("email", "z")
      let new = try context.make("Contact", ["name": "c", "email": "z"])
      try context.save()
      try expectEqual(try contacts(stack), ["c z - 1 -  ", "old x - 5 F1 L1 A"])
      try expect(new.managedObjectContext === context, "the new object stands for the record")
    },
  ]

  private static let records: [ConformanceCase] = [
    upsert("record-outdated", "an upsert keeps what others have written meanwhile (B176, B194)") {
      stack, context in
      let held = try context.named("Contact", "old")
      try expectEqual(try held.number("score"), 5)
      let other = stack.makeContext()
      try other.named("Contact", "old").set("score", 2)
      try other.save()
      try context.make("Contact", ["email": "x", "phone": "1"])
      try context.save()
      try expectEqual(try contacts(stack), ["old x 1 2 F1 L1 A"])
    },
    upsert("record-changed", "an upsert keeps the unsaved changes of the record, too (B194)") {
      stack, context in
      let held = try context.named("Contact", "old")
      try held.set("name", "held")
      let other = stack.makeContext()
      try other.named("Contact", "old").set("score", 2)
      try other.save()
      try context.make("Contact", ["email": "x", "phone": "1"])
      try context.save()
      try expectEqual(try contacts(stack), ["held x 1 2 F1 L1 A"])
    },
    upsert("record-object-trump", "a changed record takes another's value, which goes (B193)") {
      stack, context in
      let other = try context.make("Contact", ["name": "b", "email": "y"])
      try context.save()
      try other.set("email", "x")
      try context.save()
      try expectEqual(try stack.makeContext().names("Contact"), ["b"])
    },
    upsert(
      "record-store-trump", "a changed record gives a taken value up (B193)",
      .mergeByPropertyStoreTrump
    ) { stack, context in
      let other = try context.make("Contact", ["name": "b", "email": "y"])
      try context.save()
      try other.set("email", "x")
      try other.set("name", "c")
      try context.save()
      try expectEqual(try contacts(stack), ["c y - 1 -  ", "old x - 5 F1 L1 A"])
      try expectEqual(try other.text("email"), "y")
    },
    upsert("record-rollback", "a changed record in conflict is as it was (B182)", .rollback) {
      stack, context in
      let other = try context.make("Contact", ["name": "b", "email": "y"])
      try context.save()
      try other.set("email", "x")
      try other.set("name", "c")
      try context.save()
      try expectEqual(try contacts(stack), ["b y - 1 -  ", "old x - 5 F1 L1 A"])
    },
    upsert("two-constraints", "a value of each of two records is wanted at once (B193)") {
      stack, context in
      try context.make("Contact", ["name": "b", "email": "y", "phone": "7"])
      try context.save()
      try context.make("Contact", ["name": "c", "email": "x", "phone": "7"])
      try context.save()
      let names = try stack.makeContext().names("Contact")
      try expectEqual(names, ["c"])
    },
  ]

  private static let reports: [ConformanceCase] = [
    upsert("report", "a conflict names the record and all objects (B190, B191)", .error) {
      _, context in
      let first = try context.make("Contact", ["name": "b", "email": "x"])
      let second = try context.make("Contact", ["name": "c", "email": "x"])
      let error = try expectError(.managedObjectConstraintMerge) { try context.save() }
      try expect(
        Set(error.objectIDs).isSuperset(of: [first.objectID, second.objectID]),
        "the objects are named")
      let conflicts = error.conflicts(in: context).compactMap { $0 as? ConstraintConflict }
      try expectEqual(conflicts.count, 1, "the conflicts (B191)")
      try expectEqual(conflicts[0].constraint, ["email"])
      try expectEqual(conflicts[0].constraintValues["email"] as? String, "x")
      try expectEqual(try conflicts[0].databaseObject?.text("name"), "old")
      try expectEqual(conflicts[0].databaseSnapshot?["name"] as? String, "old")
      try expectEqual(Set(conflicts[0].conflictingObjects), [first, second])
      try expectEqual(conflicts[0].conflictingSnapshots.count, 2)
    },
    upsert("report-pending", "a conflict of new objects has no record (B190)", .error) {
      _, context in
      let first = try context.make("Contact", ["name": "b", "email": "y"])
      let second = try context.make("Contact", ["name": "c", "email": "y"])
      let error = try expectError(.managedObjectConstraintMerge) { try context.save() }
      let conflict = try require(error.conflicts(in: context).first as? ConstraintConflict)
      try expect(conflict.databaseObject == nil, "no record has the value")
      try expectEqual(Set(conflict.conflictingObjects), [first, second])
    },
  ]

  private static let failures: [ConformanceCase] = [
    upsert(
      "failed", "a new object is new again after a save that fails (B171, B194)",
      RegrettingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    ) { stack, context in
      let new = try makeNew(context)
      let before = try line(new)
      let stored = try contacts(stack)
      let id = new.objectID
      try expectError(.forbiddenByPolicy) { try context.save() }
      try expect(new.isInserted && new.objectID.isTemporaryID, "it is a new object")
      try expect(new.objectID == id && context.registeredObject(for: id) === new, "of its own ID")
      try expectEqual(try line(new), before, "its values")
      try expectEqual(try contacts(stack), stored, "what is stored")
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      try expect(!new.objectID.isTemporaryID && !context.hasChanges, "it is saved")
      try expectEqual(try contacts(stack).count, 1, "the contacts")
    }
  ]
}
