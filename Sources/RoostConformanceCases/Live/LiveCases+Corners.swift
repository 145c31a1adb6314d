// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Combinations: the updates must still lead from one state to the next.
extension LiveCases {
  static let corners: [ConformanceCase] = [
    company("limit-alone", "results that leave one by one are told one by one (L1, L6, L8)") {
      stack in
      let context = stack.context
      try stack.saveCrowd(of: 50)
      let request = try context.request("Person", "age == 99", [])
      request.fetchLimit = 3
      let people = try LiveWatch(context, request, options: own)
      for _ in 0..<50 {
        context.delete(people.results[0])
        context.processPendingChanges()
        try people.expectSameAsFetch()
      }
      try expectEqual(people.results.count, 0)
    },
    ConformanceCase(
      .live, "derived", "an order by what the store computes follows saves (L2, B308)"
    ) { stage in
      let stack = try stage.open(ShopModel.make())
      let context = stack.context
      let request = FetchRequest<ManagedObject>(entityName: "Order")
      request.predicate = try FetchPredicate("itemCount >= 0")
      request.sortDescriptors = [SortOrdering("itemCount"), SortOrdering("name")]
      let orders = try LiveWatch(context, request, options: own)
      let first = try context.make("Order", ["name": "First"])
      try context.make("Order", ["name": "Second"])
      try context.make("Item", ["name": "pen", "price": 1.5, "order": first])
      context.processPendingChanges()
      try context.save()
      try orders.expect(["Second", "First"])
      try orders.expectSameAsFetch()
      let other = stack.makeContext()
      let second = try other.named("Order", "Second")
      for name in ["ink", "cap"] {
        try other.make("Item", ["name": name, "price": 2.0, "order": second])
      }
      try other.save()
      context.processPendingChanges()
      try orders.expect(["First", "Second"])
      try orders.expectSameAsFetch()
    },
    company("section-names", "a section that gets another name in the same place has it (L1)") {
      stack in
      let context = stack.context
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate("department != nil")
      request.sortDescriptors = [SortOrdering("department.name"), SortOrdering("name")]
      var options = own
      options.sectionKeyPath = "department.name"
      let people = try context.live(request, options: options)
      try expectEqual(people.sections.map(\.name), ["Research", "Sales"])
      try context.named("Department", "Research").set("name", "Rockets")
      context.processPendingChanges()
      try expectEqual(people.sections.map(\.name), ["Rockets", "Sales"])
    },
    recovery("recovered", "results that come back unchanged are not behind any more (L10)"),
    recovery(
      "recovered-later", "what was changed meanwhile is told by results that come back (L10)",
      alsoChanging: "Ada"),
    ConformanceCase(
      .live, "unread", "without a history a property that is not read is told, too (L1, L11)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      let mine = try stage.open(CompanyModel.make())
      try CompanyModel.fill(mine.context)
      let other = try stage.openSame(mine)
      let context = mine.makeContext()
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      for person in people.results { _ = try person.text("note") }
      try other.context.named("Person", "Ada").set("note", "theirs")
      try other.context.save()
      RemoteChanges(to: mine.coordinator).look()
      context.processPendingChanges()
      try people.expect(["Ada", "Dan"], "~Ada")
    },
    ConformanceCase(
      .live, "lower-key",
      "a saved object comes before records that others have saved under higher keys (L6)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      let mine = try stage.open(CompanyModel.make())
      // One save reserves keys for some more, so that later records of the other one have higher keys.
      try mine.context.make("Person", ["name": "first", "age": 1])
      try mine.context.save()
      let other = try stage.openSame(mine)
      for number in 0..<60 { try other.context.make("Person", ["name": "\(number)", "age": 1]) }
      try other.context.save()
      let context = mine.makeContext()
      for offset in 0...1 {
        let request = try context.request("Person", "age == 1", [])
        request.fetchLimit = 3
        request.fetchOffset = offset
        let people = try LiveWatch(context, request)
        try context.make("Person", ["name": "new", "age": 1])
        context.processPendingChanges()
        try context.save()
        let fetched = try context.fetch(request)
        try expectEqual(people.results.map(\.objectID), fetched.map(\.objectID))
      }
    },
    company("listener", "what a listener changes is followed by all results (L2)") { stack in
      let context = stack.context
      let low = try LiveWatch(context, context.request("Person", "age < 30", []), options: own)
      let all = try LiveWatch(context, context.request("Person", nil, []), options: own)
      try expectEqual(try all.names, ["Ada", "Bob", "Cleo", "Dan", "Eve"])
      let people = Array(all.results)
      low.onUpdate = {
        low.onUpdate = nil
        // The first change is processed, the others are still pending when the results follow it: pending objects are
        // not at their sorted positions, so no position can be found between them.
        try? people[0].set("name", "Fay")
        context.processPendingChanges()
        try? people[1].set("name", "Yan")
        try? people[2].set("name", "Zoe")
      }
      try context.make("Person", ["name": "Cid", "age": 20])
      context.processPendingChanges()
      context.processPendingChanges()
      for watch in [low, all] { try watch.expectSameAsFetch() }
      try all.expect(["Cid", "Dan", "Eve", "Fay", "Yan", "Zoe"])
    },
    company("listener-saves", "what a listener inserts and saves is there once (L2)") { stack in
      let context = stack.context
      let low = try LiveWatch(context, context.request("Person", "age < 30", []), options: own)
      let all = try LiveWatch(context, context.request("Person", nil, []), options: own)
      low.onUpdate = {
        low.onUpdate = nil
        _ = try? context.make("Person", ["name": "Fay", "age": 50])
        try? context.save()
      }
      try context.make("Person", ["name": "Cid", "age": 20])
      context.processPendingChanges()
      context.processPendingChanges()
      for watch in [low, all] { try watch.expectSameAsFetch() }
      try all.expect(["Ada", "Bob", "Cid", "Cleo", "Dan", "Eve", "Fay"])
    },
    company("refreshed-twice", "what one event refreshes and takes back is there once (L2, L4)") {
      stack in
      let context = stack.context
      let all = try LiveWatch(context, context.request("Person", nil, []), options: own)
      let names = try all.names
      let people = Array(all.results)
      try people[0].set("name", "Zed")
      context.processPendingChanges()
      try people[1].set("name", "Yan")
      try people[2].set("age", 99)
      try context.refresh(people[1], mergeChanges: true)
      context.rollback()
      context.processPendingChanges()
      try all.expectSameAsFetch()
      try all.expect(names)
    },
    company("nested", "a merge within a merge loses nothing (L2, B213)") { stack in
      let context = stack.context
      let people = try LiveWatch(context, context.request("Person", "age >= 25", []), options: own)
      let other = stack.makeContext()
      let third = stack.makeContext()
      let bob = try third.named("Person", "Bob")
      var changes = ManagedObjectContext.ObjectIDChanges()
      other.delete(try other.named("Person", "Dan"))
      changes.deletedObjectIDs = Set(other.deletedObjects.map(\.objectID))
      try other.save()
      let nested = NestedSave(of: bob, by: third, seenBy: context)
      let token = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.didChangeObjectsNotification, object: context, queue: nil
      ) { _ in nested.run() }
      defer { NotificationCenter.default.removeObserver(token) }
      context.mergeChanges(changes)
      context.processPendingChanges()
      try expect(nested.hasRun, "the observer was told")
      try people.expect(["Ada", "Eve"])
      try people.expectSameAsFetch()
    },
  ]
}

extension LiveCases {
  /// Live results that could not be read after a change that does not affect them in the end.
  ///
  /// - Parameter changed: The person whose note is changed meanwhile; nil for none.
  private static func recovery(
    _ name: String, _ title: String, alsoChanging changed: String? = nil
  ) -> ConformanceCase {
    ConformanceCase(.live, name, title) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      context.stalenessInterval = 0
      let people = try LiveWatch(
        context, context.request("Person", "department.budget >= 1000", []), options: own)
      let sales = try context.named("Department", "Sales")
      try sales.set("budget", Decimal(600))
      if let changed {
        try context.registeredPerson(changed, in: people).set("note", "told later")
      }
      faults.fail(.fetch)
      context.processPendingChanges()
      try expect(people.results.isStale, "the results are behind")
      faults.clear()
      try sales.set("name", "Sales!")
      context.processPendingChanges()
      try expect(!people.results.isStale, "they are current again")
      try people.expect(["Ada", "Bob"], "failed;" + (changed.map { "~\($0)" } ?? ""))
    }
  }
}

/// A nested save of another context, and a fetch in this one, during a merge.
// Sendable: notifications come on the thread of the case.
private final class NestedSave: @unchecked Sendable {
  private let object: ManagedObject
  private let writer: ManagedObjectContext
  private let reader: ManagedObjectContext
  private(set) var hasRun = false

  init(
    of object: ManagedObject, by writer: ManagedObjectContext, seenBy reader: ManagedObjectContext
  ) {
    (self.object, self.writer, self.reader) = (object, writer, reader)
  }

  func run() {
    guard !hasRun else { return }
    hasRun = true
    try? object.set("age", 5)
    try? writer.save()
    _ = try? reader.names("Person")
  }
}
