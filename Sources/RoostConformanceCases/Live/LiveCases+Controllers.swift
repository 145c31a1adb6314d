// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Cases on fetched results controllers: leases on remote saves, and retries after errors.
extension LiveCases {
  static let controllers: [ConformanceCase] = [
    ConformanceCase(
      .live, "heard",
      "a context hears others for a controller as long as there is one, or as the program says (L12)",
      needs: [.history]
    ) { stage in
      let context = try stage.openTracking(CompanyModel.make()).context
      context.automaticallyMergesChangesFromParent = true
      func follow() throws {
        let controllers = try (0..<2).map { _ in try controller(in: context) }
        for controller in controllers { try controller.performFetch() }
        try expect(context.mergesRemoteChanges, "with a controller")
        withExtendedLifetime(controllers) {}
      }
      try follow()
      try expect(!context.mergesRemoteChanges, "without one")
      try follow()
      // The next controller is created before the last one is released.
      var last: FetchedResultsController<ManagedObject>? = try controller(in: context)
      try last?.performFetch()
      let next = try controller(in: context)
      last = nil
      try next.performFetch()
      try expect(context.mergesRemoteChanges, "with the next one")
      context.mergesRemoteChanges = true
      try follow()
      withExtendedLifetime(next) {}
      try expect(context.mergesRemoteChanges, "what the program has asked for stays")
      context.mergesRemoteChanges = false
      try expect(!context.mergesRemoteChanges, "until it says otherwise")
    },
    ConformanceCase(
      .live, "heard-failed", "a controller that cannot fetch lets nobody hear others (L12)",
      needs: [.history]
    ) { stage in
      let faults = FaultSwitch()
      var store = try stage.makeStore().interposed(faults)
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      let stack = try stage.open(CompanyModel.make(), on: [store])
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      context.automaticallyMergesChangesFromParent = true
      let failing = try controller(in: context)
      faults.fail(.fetch)
      try expectError(FaultSwitch.error.code, "the fetch") { try failing.performFetch() }
      try expect(!context.mergesRemoteChanges, "after a fetch that failed")
      faults.clear()
      try failing.performFetch()
      try expect(context.mergesRemoteChanges, "after one that did not")
      faults.fail(.fetch)
      try expectError(FaultSwitch.error.code, "another fetch") { try failing.performFetch() }
      try expect(context.mergesRemoteChanges, "its results are still followed")
    },
    heardAgain(
      "heard-again",
      "what others save between two controllers is caught up with by the second (L2, L12)"
    ) { _ in },
    heardAgain(
      "heard-switched",
      "it is caught up with after automatic merging was switched off and on, too (L2, L12)"
    ) { context in
      context.automaticallyMergesChangesFromParent = false
      context.automaticallyMergesChangesFromParent = true
    },
    ConformanceCase(
      .live, "failed-together",
      "results that a controller could not fetch again are tried again for the others (L10)"
    ) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      let controllers = try (0..<2).map { _ in try controller(in: context) }
      for controller in controllers { try controller.performFetch() }
      faults.fail(.fetch)
      try expectError(FaultSwitch.error.code, "the fetch") { try controllers[1].performFetch() }
      try expect(controllers[0].updateError != nil, "the other one shows the same, and hears of it")
      faults.clear()
      // A change that does not affect the results.
      try context.named("Department", "Sales").set("name", "Sales!")
      context.processPendingChanges()
      try expect(controllers[0].updateError == nil, "they are current again")
      try context.named("Person", "Eve").set("age", 30)
      context.processPendingChanges()
      let names = try controllers[0].fetchedObjects?.map { try $0.text("name") }
      try expectEqual(names ?? [], ["Ada", "Dan", "Eve"])
    },
  ]

  /// A case in which another coordinator saves after the last controller of a context is released, and before the next
  /// one is created.
  ///
  /// - Parameter between: Called when the context has no controller.
  private static func heardAgain(
    _ name: String, _ title: String,
    _ between: @escaping @Sendable (ManagedObjectContext) -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      .live, name, title, needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.openTracking(CompanyModel.make())
      try CompanyModel.fill(other.context)
      let mine = try stage.openMute(other)
      let context = mine.makeContext()
      context.automaticallyMergesChangesFromParent = true
      var first: FetchedResultsController<ManagedObject>? = try controller(in: context)
      try first?.performFetch()
      let people = try require(first?.fetchedObjects, "the objects")
      try expectEqual(try people.map { try $0.text("name") }, ["Ada", "Dan"])
      first = nil
      between(context)
      try other.context.named("Person", "Ada").set("name", "Zoe")
      try other.context.named("Person", "Eve").set("age", 30)
      try other.context.save()
      other.context.delete(try other.context.named("Person", "Dan"))
      try other.context.save()
      RemoteChanges(to: mine.coordinator).look()
      context.processPendingChanges()
      try expectEqual(try people[0].text("name"), "Ada", "nobody follows: it is as it was")
      let second = try controller(in: context)
      try second.performFetch()
      let found = try require(second.fetchedObjects, "the objects")
      try expectEqual(try found.map { try $0.text("name") }, ["Eve", "Zoe"])
      try expect(found.contains { $0 === people[0] }, "the object is the same")
      try expect(people[1].isDeleted || people[1].managedObjectContext == nil, "Dan has gone")
      // Later saves are merged as before.
      try other.context.named("Person", "Bob").set("age", 31)
      try other.context.save()
      RemoteChanges(to: mine.coordinator).look()
      context.processPendingChanges()
      let names = try second.fetchedObjects?.map { try $0.text("name") }
      try expectEqual(names ?? [], ["Bob", "Eve", "Zoe"])
    }
  }

  private static func controller(
    in context: ManagedObjectContext
  ) throws -> FetchedResultsController<ManagedObject> {
    FetchedResultsController(
      fetchRequest: try context.request("Person", "age >= 30", []), managedObjectContext: context)
  }
}
