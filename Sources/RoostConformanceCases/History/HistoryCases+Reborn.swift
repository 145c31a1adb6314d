// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Records that are deleted and come back under their IDs. A reader of the former record must notice the difference.
extension HistoryCases {
  static let reborn: [ConformanceCase] = [
    valued("reborn.merged", "a record that came back is read anew by who merges it (L20, H20)") {
      stack in
      let (reader, ada, token) = try readerOfAda(stack)
      try changeAndBringBack(stack)
      _ = try reader.mergeHistory(after: token)
      try expectEqual(try ada.text("name"), "Eve")
      try ada.set("age", 2)
      try reader.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Eve"), 2)
    },
    valued("reborn.saved", "a save over a record that came back is a conflict (L20, B172)") {
      stack in
      let (reader, ada, _) = try readerOfAda(stack)
      try changeAndBringBack(stack)
      try ada.set("age", 2)
      try expectError(.managedObjectMerge, "what was read from the old record") {
        try reader.save()
      }
      try expectEqual(try stack.storedNumber("age", ofPerson: "Eve"), 1, "nothing is lost")
      reader.mergePolicy = .mergeByPropertyObjectTrump
      try reader.save()
      try expectEqual(try ada.text("name"), "Eve", "what is new stays")
      try expectEqual(try stack.storedNumber("age", ofPerson: "Eve"), 2)
    },
    valued("reborn.gone", "a record that came and went in between is gone after a merge (H20)") {
      stack in
      let reader = stack.makeContext()
      let token = try stack.token()
      let zoe = try stack.context.make("Person", ["name": "Zoe", "age": 1])
      try stack.context.save()
      let read = try reader.named("Person", "Zoe")
      try expectEqual(try read.number("age"), 1)
      stack.context.delete(zoe)
      try stack.context.save()
      _ = try reader.mergeHistory(after: token)
      try expect(read.managedObjectContext == nil, "the object has left its context")
    },
    valued("reborn.again", "no version of a record comes twice, however often it comes back (L20)")
    {
      stack in
      let (_, ada, _) = try readerOfAda(stack)
      var version = try stack.version(of: ada)
      for _ in 0..<3 {
        try changeAndBringBack(stack)
        let next = try stack.version(of: ada)
        try expect(next > version + 1, "the version \(next) is later than \(version)")
        version = next
      }
      // A reverted old deletion gets a version later than those in between.
      let deletion = try require(
        try stack.history().first { $0.changes?.first?.changeType == .delete }, "a deletion")
      let again = stack.makeContext()
      again.delete(try again.existingObject(with: ada.objectID))
      try again.save()
      try again.revert(deletion)
      try again.save()
      try expect(try stack.version(of: ada) > version, "the version is later than \(version)")
    },
    ConformanceCase(
      .history, "reborn.remote", "a record that came back is read anew by other coordinators (H20)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let stack = try stage.openKeepingValues(PastModel.make())
      let mine = try stage.openMute(stack)
      try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      let reader = mine.makeContext()
      reader.mergesRemoteChanges = true
      let ada = try reader.named("Person", "Ada")
      try expectEqual(try ada.number("age"), 1)
      try changeAndBringBack(stack)
      let listener = Listener(reader)
      RemoteChanges(to: mine.coordinator).look()
      reader.processPendingChanges()
      try expectEqual(try ada.text("name"), "Eve")
      let told = try listener.take().filter { $0.hasPrefix("didMerge") }
      try expect(
        told.count == 1 && told[0].contains("~1") && !told[0].contains("+"),
        "she is no other for who knew her: \(told)")
      try ada.set("age", 2)
      try reader.save()
      try expectEqual(try mine.storedNumber("age", ofPerson: "Eve"), 2)
    },
  ]

  /// A context that has read a record in its first version and hears of nothing.
  private static func readerOfAda(
    _ stack: ConformanceStack
  ) throws -> (ManagedObjectContext, ManagedObject, PersistentHistoryToken) {
    try stack.context.make("Person", ["name": "Ada", "age": 1])
    try stack.context.save()
    let reader = stack.makeContext()
    let ada = try reader.named("Person", "Ada")
    try expectEqual(try ada.number("age"), 1)
    return (reader, ada, try stack.token())
  }

  /// Changes the only person, deletes her and takes the deletion back, each in a save of its own.
  private static func changeAndBringBack(_ stack: ConformanceStack) throws {
    let writer = stack.makeContext()
    let person = try require(try writer.all("Person", nil).first, "the person")
    try person.set("name", "Eve")
    try person.set("note", "\(try person.text("note") ?? "")!")
    try writer.save()
    writer.delete(person)
    try writer.save()
    try writer.revert(try require(try stack.history().last, "the deletion"))
    try writer.save()
  }
}
