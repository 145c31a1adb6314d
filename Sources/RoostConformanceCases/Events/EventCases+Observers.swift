// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Notifications to observers, and the calls that are allowed while a save begins.
extension EventCases {
  static let observers: [ConformanceCase] = [
    listening(
      "earlier-values", "an object knows its values before the event, on every store (B57)"
    ) { stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      let research = try stack.context.make("Department", ["name": "Research"])
      let sales = try stack.context.make("Department", ["name": "Sales"])
      try ada.set("department", research)
      try stack.context.save()
      try ada.set("age", 2)
      try ada.set("age", 3)
      try ada.set("department", sales)
      let heard = Heard()
      listener.react { _ in heard.values = ada.changedValuesForCurrentEvent() }
      stack.context.processPendingChanges()
      try expectEqual(whole(heard.values["age"]), 1, "the age before the event")
      try expect(heard.values["department"] as? ManagedObject === research, "where she was")
      try ada.set("age", nil)
      stack.context.processPendingChanges()
      try expectEqual(whole(heard.values["age"]), 3, "the age before the next event")
      try ada.set("age", 4)
      stack.context.processPendingChanges()
      try expect(heard.values["age"] is NSNull, "nil is NSNull")
    },
    listening(
      "by-observer",
      "what an observer of willSave changes is processed before any willSave (B161, B84)"
    ) { stack, _ in
      let research = try stack.context.make("Department", ["name": "Research"])
      let ada = try stack.context.make("Person", ["name": "Ada", "department": research])
      try stack.context.save()
      // The observer is called on this thread.
      nonisolated(unsafe) let (context, deleted) = (stack.context, research)
      let heard = Heard()
      let token = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.willSaveObjectsNotification, object: context, queue: nil
      ) { _ in
        guard !heard.isDone else { return }
        heard.isDone = true
        context.delete(deleted)
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try ada.set("age", 3)
      try context.save()
      try expect(try ada.one("department") == nil, "the rules of the deletion were applied")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Department"), [])
      try expect(try stack.context.named("Person", "Ada").one("department") == nil, "in the store")
    },
    listening(
      "removal", "the removal of a store is told as all its objects being invalid (B100, B235)"
    ) { stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      let id = ada.objectID
      _ = try listener.take()
      let store = try require(stack.coordinator.persistentStores.first, "the store")
      try stack.coordinator.remove(store)
      stack.context.processPendingChanges()
      try expectEqual(listener.last.invalidatedAllObjects, [id], "the objects of the store")
      try expect(ada.managedObjectContext == nil, "it has no context")
      try expect(stack.context.registeredObject(for: id) == nil, "nobody knows it")
    },
    listening("reset-empty", "a reset is told whether or not anybody holds an object (B350)") {
      stack, listener in
      stack.context.reset()
      try expect(listener.last.hasInvalidatedAllObjects, "the reset of an empty context")
      let ada = try stack.context.make("Person", ["name": "Ada"])
      stack.context.processPendingChanges()
      try expect(!listener.last.hasInvalidatedAllObjects, "an insertion")
      let id = ada.objectID
      stack.context.reset()
      try expect(listener.last.hasInvalidatedAllObjects, "the reset")
      try expectEqual(listener.last.invalidatedAllObjects, [id])
    },
  ]

  private final class Heard: @unchecked Sendable {
    // Sendable: a case plays on one thread.
    var values: [String: Any] = [:]
    var isDone = false
  }
}
