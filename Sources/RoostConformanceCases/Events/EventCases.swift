// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Notifications of changes: their time, receivers and content.
enum EventCases {
  static let all: [ConformanceCase] =
    ends + contents + saves + refreshing + stores + observers

  static func listening(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, Listener) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.events, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try body(stack, Listener(stack.context))
    }
  }

  private static let ends: [ConformanceCase] = [
    listening("coalesced", "all changes of an event are told together (B97)") { stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try ada.set("age", 36)
      try stack.context.make("Desk", ["name": "1"])
      try expectEqual(try listener.take(), [], "before the event ends")
      stack.context.processPendingChanges()
      try expectEqual(try listener.take(), ["changed +2"])
      stack.context.processPendingChanges()
      try expectEqual(try listener.take(), [], "an event without changes")
    },
    listening("by-fetch", "a fetch ends the event, and is none itself (B97, B98)") {
      stack, listener in
      try stack.context.make("Person", ["name": "Ada"])
      _ = try stack.context.all("Person")
      try expectEqual(try listener.take(), ["changed +1"])
      try stack.context.save()
      try stack.readAnew()
      let fresh = Listener(stack.context)
      let ada = try stack.context.named("Person", "Ada")
      _ = try ada.text("name")
      stack.context.processPendingChanges()
      try expectEqual(try fresh.take(), [], "after a fetch and a fired fault")
    },
    listening("by-save", "a save ends the event before it begins (B97, B161)") { stack, listener in
      try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      try expectEqual(
        try listener.take(), ["changed +1", "willSave", "didSave +1", "didSaveIDs +1"])
    },
    listening("by-perform", "the end of a closure on the queue ends the event (B97, B222)") {
      stack, listener in
      stack.context.perform { [context = stack.context] in _ = try? context.make("Desk") }
      // The queue takes one closure after the other.
      stack.context.performAndWait {}
      try expectEqual(try listener.take(), ["changed +1"])
    },
    listening("in-observer", "what an observer changes is the next event (B97, B103)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      listener.react { _ in
        guard try ada.number("age") == nil else { return }
        try ada.set("age", 1)
        stack.context.processPendingChanges()
      }
      stack.context.processPendingChanges()
      try expectEqual(try listener.take(), ["changed +1", "changed ~1"])
    },
  ]

  private static let contents: [ConformanceCase] = [
    listening("disjoint", "an object is told once, as what became of it (B99)") {
      stack, listener in
      let kept = try stack.context.make("Desk", ["name": "kept"])
      let changed = try stack.context.make("Desk", ["name": "changed"])
      try stack.context.save()
      _ = try listener.take()
      let passing = try stack.context.make("Desk", ["name": "passing"])
      stack.context.delete(passing)
      try kept.set("name", "deleted")
      stack.context.delete(kept)
      try changed.set("name", "new")
      let new = try stack.context.make("Desk", ["name": "new"])
      try new.set("name", "newer")
      stack.context.processPendingChanges()
      try expectEqual(try listener.take(), ["changed +1 ~1 -1"])
      try expectEqual(listener.last.insertedObjects, [new])
      try expectEqual(listener.last.updatedObjects, [changed])
      try expectEqual(listener.last.deletedObjects, [kept])
    },
    listening("again", "a new object that is changed or deleted later is told so (B98, B99)") {
      stack, listener in
      let desk = try stack.context.make("Desk", ["name": "a"])
      stack.context.processPendingChanges()
      try desk.set("name", "b")
      stack.context.processPendingChanges()
      stack.context.delete(desk)
      stack.context.processPendingChanges()
      try expectEqual(try listener.take(), ["changed +1", "changed ~1", "changed -1"])
    },
    listening("inverse", "the other side of a relationship is changed, too (B69, B98)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let research = try stack.context.make("Department", ["name": "Research"])
      try stack.context.save()
      _ = try listener.take()
      try ada.set("department", research)
      stack.context.processPendingChanges()
      try expectEqual(listener.last.updatedObjects, [ada, research])
      stack.context.delete(research)
      stack.context.processPendingChanges()
      try expectEqual(listener.last.updatedObjects, [ada], "those that a deletion leaves behind")
    },
    listening("keys", "an object knows what the event changed of it (B57)") { stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try expectEqual(ada.changedValuesForCurrentEvent().keys.sorted(), ["age", "name"])
      stack.context.processPendingChanges()
      try expectEqual(ada.changedValuesForCurrentEvent().count, 0, "a new event")
      try ada.set("age", 2)
      let research = try stack.context.make("Department", ["name": "Research"])
      try ada.set("department", research)
      let changes = ada.changedValuesForCurrentEvent()
      try expectEqual(changes.keys.sorted(), ["age", "department"])
      try expectEqual(whole(changes["age"]), 1, "the age before")
      try expect(changes["department"] is NSNull, "there was no destination before")
      let heard = Heard()
      listener.react { _ in heard.keys = ada.changedValuesForCurrentEvent().keys.sorted() }
      stack.context.processPendingChanges()
      try expectEqual(heard.keys, ["age", "department"], "the keys, for an observer")
      try stack.context.save()
      try ada.set("name", nil)
      try expectEqual(ada.changedValuesForCurrentEvent()["name"] as? String, "Ada", "the old name")
    },
    listening("refreshed", "values that were read anew are told as refreshed (B100)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let bob = try stack.context.make("Person", ["name": "Bob"])
      try stack.context.save()
      _ = try listener.take()
      try bob.set("age", 1)
      stack.context.processPendingChanges()
      try stack.context.refresh(ada, mergeChanges: false)
      try stack.context.refresh(bob, mergeChanges: true)
      stack.context.processPendingChanges()
      try expectEqual(try listener.take(), ["changed ~1", "changed r2"])
      try expectEqual(stack.context.updatedObjects, [bob])
    },
    listening("rollback", "a rollback is told as what it brings back (B98, B100, B114)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let bob = try stack.context.make("Person", ["name": "Bob"])
      try stack.context.save()
      try ada.set("age", 1)
      stack.context.delete(bob)
      try stack.context.make("Person", ["name": "Cleo"])
      stack.context.processPendingChanges()
      _ = try listener.take()
      stack.context.rollback()
      try expectEqual(try listener.take(), ["changed +1 -1 r1"])
      try expectEqual(listener.last.insertedObjects, [bob])
      try expectEqual(listener.last.refreshedObjects, [ada])
      stack.context.rollback()
      try expectEqual(try listener.take(), [], "a rollback of nothing")
    },
    listening("reset", "a reset tells the IDs of all that it forgets (B100, B115)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      _ = try listener.take()
      let id = ada.objectID
      stack.context.reset()
      try expectEqual(try listener.take(), ["changed x1"])
      try expectEqual(listener.last.invalidatedAllObjects, [id])
      stack.context.processPendingChanges()
      try expectEqual(try listener.take(), [], "nothing is left over")
    },
  ]

  /// The content of a notification.
  private final class Heard {
    var keys: [String] = []
  }
}
