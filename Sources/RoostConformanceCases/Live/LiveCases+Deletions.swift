// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

// Records that were deleted between two polls, or while results were brought up to date.
extension LiveCases {
  static let deletions: [ConformanceCase] = [
    twoCoordinators(
      "came-and-went",
      "a record that another coordinator inserted and deleted between two polls is gone (L2, H20)"
    ) { mine, other in
      let context = mine.makeContext()
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      let zoe = try other.context.make("Person", ["name": "Zoe", "age": 50])
      try other.context.save()
      let read = try context.named("Person", "Zoe")
      try expectEqual(try read.number("age"), 50)
      other.context.delete(zoe)
      try other.context.save()
      RemoteChanges(to: mine.coordinator).look()
      context.processPendingChanges()
      try people.expectSameAsFetch()
      try expect(read.managedObjectContext == nil, "the object has left its context")
    },
    twoCoordinators(
      "came-back",
      "a record that was saved again after another coordinator's deletion stays (L2, H20)"
    ) { mine, other in
      let context = mine.makeContext()
      let sibling = mine.makeContext()
      let watches = try [context, sibling].map {
        try LiveWatch($0, $0.request("Person", "age >= 30", []))
      }
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 50)
      other.context.delete(try other.context.named("Person", "Ada"))
      try other.context.save()
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      RemoteChanges(to: mine.coordinator).look()
      for watched in [context, sibling] { watched.processPendingChanges() }
      for watch in watches { try watch.expectSameAsFetch() }
      try expect(ada.managedObjectContext === context, "the object is in its context")
      try expectEqual(try mine.makeContext().named("Person", "Ada").number("age"), 50)
    },
    ConformanceCase(
      .live, "merged-meanwhile",
      "deletions that are merged while results are fetched anew leave other results sorted (L2, L6)"
    ) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      let context = stack.context
      let departments = try ["A", "B", "C"].map { try context.make("Department", ["name": $0]) }
      for (name, department) in zip(["b", "c", "d", "y", "z", "zz"], [0, 0, 0, 1, 1, 2]) {
        try context.make("Person", ["name": name, "department": departments[department]])
      }
      try context.save()
      let sorted = try context.request("Person", nil, [])
      sorted.sortDescriptors = [SortOrdering("department.name"), SortOrdering("name")]
      let watches = try [
        LiveWatch(
          context,
          context.request("Person", "SUBQUERY(reports, $r, $r.age > 20).@count > 0", []),
          options: own),
        LiveWatch(context, context.request("Person", "ANY reports.age > 30", []), options: own),
        LiveWatch(context, sorted, options: own),
      ]
      let deletion = Mutex<(any Error)?>(nil)
      let coordinator = stack.coordinator
      faults.interrupt(.fetch) {
        do {
          let sibling = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          for name in ["y", "z"] { sibling.delete(try sibling.named("Person", name)) }
          try sibling.save()
        } catch {
          deletion.withLock { $0 = error }
        }
      }
      try context.make("Person", ["name": "zzz"])
      for _ in 0..<2 { context.processPendingChanges() }
      if let error = deletion.withLock({ $0 }) { throw error }
      for watch in watches { try watch.expectSameAsFetch() }
      try expectEqual(try watches[2].names, ["zzz", "b", "c", "d", "zz"])
    },
  ]

  /// A case on a company that two coordinators have opened; the first one polls only when it is told to.
  private static func twoCoordinators(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.live, name, title, needs: [.history, .secondHandle, .changeMarks]) { stage in
      let other = try stage.openTracking(CompanyModel.make())
      try CompanyModel.fill(other.context)
      try body(try stage.openMute(other), other)
    }
  }
}
