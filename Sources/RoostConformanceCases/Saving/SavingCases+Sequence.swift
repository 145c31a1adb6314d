// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The sequence of a save's events, and the committed state before and after.
extension SavingCases {
  static let sequence: [ConformanceCase] = [
    ConformanceCase(
      .saving, "events.sequence",
      "notification, willSave, validation, didSave, notifications: in this order (B161)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage)
      let parent = try stack.context.make("Parent", ["name": "p"])
      try stack.context.save()
      try parent.set("stamp", 1)
      try stack.context.make("Child", ["name": "c"])
      stack.context.processPendingChanges()
      _ = try hooks.take()
      let names: [Notification.Name] = [
        ManagedObjectContext.willSaveObjectsNotification,
        ManagedObjectContext.didSaveObjectsNotification,
        ManagedObjectContext.didSaveObjectIDsNotification,
      ]
      let tokens = zip(names, ["WillSave", "DidSave", "DidSaveIDs"]).map { name, word in
        NotificationCenter.default.addObserver(forName: name, object: stack.context, queue: nil) {
          _ in hooks.note(word)
        }
      }
      defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
      try stack.context.save()
      let events = try hooks.take()
      try expectEqual(events.first, "WillSave", "the first event")
      try expectEqual(events[1..<3].sorted(), ["willSave c", "willSave p"], "what comes first")
      try expectEqual(
        events[3..<5].sorted(), ["validateForInsert c", "validateForUpdate p"], "what comes then")
      try expectEqual(events[5..<7].sorted(), ["didSave c", "didSave p"], "what comes after that")
      try expectEqual(Array(events[7...]), ["DidSave", "DidSaveIDs"], "what comes last")
    },
    ConformanceCase(
      .saving, "events.change-of-others",
      "willSave may change another object, which was clean, in the same save (B162)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage)
      let parent = try stack.context.make("Parent", ["name": "p", "stamp": 0])
      let child = try stack.context.make("Child", ["name": "c"])
      try stack.context.save()
      let version = try stack.version(of: parent)
      _ = try hooks.take()
      hooks.onCall = { hook, object in
        if hook == .willSave, object === child, try parent.number("stamp") != 7 {
          try parent.set("stamp", 7)
        }
      }
      try child.set("stamp", 1)
      try expect(!parent.isUpdated, "the other object is clean before")
      try stack.context.save()
      try expectEqual(
        try hooks.take("validate"), ["validateForUpdate c", "validateForUpdate p"], "who is asked")
      try expectEqual(try stack.version(of: parent), version + 1, "the version of its record")
      try stack.readAnew()
      try expectEqual(try stack.context.named("Parent", "p").number("stamp"), 7)
    },
    ConformanceCase(
      .saving, "committed-all",
      "the committed values are those of all stored properties, nil and unsaved changes or not (B58)"
    ) { stage in
      var sketch = CompanyModel.sketch()
      let draft = AttributeDescription.string("draft")
      draft.isTransient = true
      sketch["Person"].declaredProperties.append(draft)
      let stack = try stage.open(sketch.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      let ada = try stack.context.named("Person", "Ada")
      let before = try ada.committedValues(forKeys: nil)
      let names = ada.entity.propertiesByName.keys.filter { $0 != "draft" }
      try expectEqual(before.keys.sorted(), names.sorted(), "the keys")
      try ada.set("age", 99)
      try ada.set("note", "new")
      try ada.set("salary", nil)
      try ada.set("draft", "unsaved")
      try ada.set("department", nil)
      let after = try ada.committedValues(forKeys: nil)
      try expectEqual(after.keys.sorted(), names.sorted(), "the keys after changes")
      try expectEqual(whole(after["age"]), 36, "the age that was saved")
      try expectEqual(double(after["salary"]), 100, "the salary that was saved")
      for key in ["note", "born", "badge", "manager"] {
        try expect(after[key] is NSNull, "\(key), which was nil, is NSNull")
      }
      try expect(!(after["department"] is NSNull), "the department that was saved is there")
      try stack.context.save()
      let saved = try ada.committedValues(forKeys: nil)
      try expectEqual(whole(saved["age"]), 99, "the age after the save (B167)")
      try expect(saved["salary"] is NSNull, "the salary after the save")
      try expect(saved["department"] is NSNull, "the department after the save")
    },
  ]
}
