// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

extension LiveCases {
  static let elsewhere: [ConformanceCase] = [
    company("sibling", "what another context saves is shown, also of unknown objects (L2, B321)") {
      stack in
      let context = stack.context
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      try people.expect(["Ada", "Dan"])
      let other = stack.makeContext()
      try other.named("Person", "Eve").set("age", 30)
      other.delete(try other.named("Person", "Dan"))
      try other.make("Person", ["name": "Zoe", "age": 80])
      try other.save()
      context.processPendingChanges()
      try people.expect(["Ada", "Eve", "Zoe"])
      try other.named("Person", "Ada").set("age", 2)
      try other.save()
      context.processPendingChanges()
      try people.expect(["Eve", "Zoe"], "-Ada 0")
      try people.expectSameAsFetch()
    },
    company("local", "what was changed here stays above what others save (L2, L4)") { stack in
      let context = stack.context
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      try context.named("Person", "Ada").set("age", 1)
      let other = stack.makeContext()
      try other.named("Person", "Ada").set("age", 90)
      try other.named("Person", "Ada").set("note", "theirs")
      try other.save()
      context.processPendingChanges()
      try people.expect(["Dan"])
      context.rollback()
      context.processPendingChanges()
      try people.expect(["Ada", "Dan"])
      try people.expectSameAsFetch()
    },
    company("batch", "batch requests are shown (L2, B272)") { stack in
      let context = stack.context
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      let plain = stack.makeContext()
      plain.automaticallyMergesChangesFromParent = true
      let bob = try plain.named("Person", "Bob")
      try expectEqual(try bob.number("age"), 25)
      let request = BatchUpdateRequest(entityName: "Person")
      request.predicate = try FetchPredicate("name IN {'Bob', 'Dan'}")
      request.propertiesToUpdate = ["age": 33]
      _ = try stack.makeContext().execute(request)
      context.processPendingChanges()
      try people.expect(["Ada", "Bob", "Dan"])
      let doomed = FetchRequest<ManagedObject>(entityName: "Person")
      doomed.predicate = try FetchPredicate("name == 'Ada'")
      _ = try context.execute(BatchDeleteRequest(fetchRequest: doomed))
      let insertion = BatchInsertRequest(
        entityName: "Person", objects: [["name": "Zed", "age": 44]])
      _ = try context.execute(insertion)
      context.processPendingChanges()
      try people.expect(["Bob", "Dan", "Zed"])
      try people.expectSameAsFetch()
      plain.processPendingChanges()
      try expectEqual(try bob.number("age"), 25, "other contexts do not hear of them (B272)")
    },
    ConformanceCase(
      .live, "reborn", "a record that is removed and comes back is shown (L2, L20)",
      needs: [.history]
    ) { stage in
      let stack = try stage.openKeepingValues(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      let other = stack.makeContext()
      other.delete(try other.named("Person", "Dan"))
      try other.save()
      let last = try require(try stack.history().last, "the transaction")
      try other.revert(last)
      try other.save()
      context.processPendingChanges()
      try people.expect(["Ada", "Dan"])
      try people.expectSameAsFetch()
      try expectEqual(try people.results.last?.one("department")?.text("name"), "Sales")
    },
    company("child", "a child shows what its parent saves (L2)") { stack in
      let child = ManagedObjectContext(.privateQueue, parent: stack.context)
      let people = try LiveWatch(child, child.request("Person", "age >= 30", []))
      try people.expect(["Ada", "Dan"])
      try stack.context.named("Person", "Eve").set("age", 31)
      try stack.context.save()
      child.processPendingChanges()
      try people.expect(["Ada", "Dan", "Eve"], "+Eve 2")
      try child.named("Person", "Ada").set("age", 3)
      child.processPendingChanges()
      try people.expect(["Dan", "Eve"], "-Ada 0")
      let above = try LiveWatch(stack.context, stack.context.request("Person", "age >= 30", []))
      try child.save()
      stack.context.processPendingChanges()
      try above.expect(["Dan", "Eve"], "-Ada 0")
    },
    company("child-merge", "a child shows what its parent merges (L2, B218)") { stack in
      let parent = stack.context
      let child = ManagedObjectContext(.privateQueue, parent: parent)
      let people = try LiveWatch(child, child.request("Person", "age >= 30", []))
      let below = ManagedObjectContext(.privateQueue, parent: child)
      let deep = try LiveWatch(below, below.request("Person", "age >= 30", []))
      try child.named("Person", "Ada").set("note", "child")
      try parent.named("Person", "Cleo").set("note", "parent")
      let other = stack.makeContext()
      func process() {
        for context in [parent, child, below] { context.processPendingChanges() }
      }
      // Nothing is merged before the parent does.
      try other.named("Person", "Eve").set("age", 31)
      try other.save()
      process()
      try people.expect(["Ada", "Dan"])
      parent.automaticallyMergesChangesFromParent = true
      try other.named("Person", "Eve").set("age", 32)
      try other.named("Person", "Cleo").set("age", 50)
      try other.named("Person", "Ada").set("age", 3)
      try other.make("Person", ["name": "Zoe", "age": 80])
      other.delete(try other.named("Person", "Dan"))
      try other.save()
      process()
      for watch in [people, deep] {
        try watch.expect(["Cleo", "Eve", "Zoe"])
        try watch.expectSameAsFetch()
      }
      try expectEqual(try child.named("Person", "Ada").text("note"), "child", "its own change")
      try expectEqual(try child.named("Person", "Cleo").text("note"), "parent", "its parent's")
      // An explicit merge into the parent.
      parent.automaticallyMergesChangesFromParent = false
      try other.named("Person", "Bob").set("age", 60)
      try other.save()
      var changes = ManagedObjectContext.ObjectIDChanges()
      changes.updatedObjectIDs = [try other.named("Person", "Bob").objectID]
      parent.mergeChanges(changes)
      process()
      try expect(try people.names.contains("Bob") && deep.names.contains("Bob"), "both have Bob")
      for watch in [people, deep] { try watch.expectSameAsFetch() }
    },
    remote("child-remote", "a child shows what its parent merges of others (L2, H20)", true) {
      ManagedObjectContext(.privateQueue, parent: $0)
    },
    ConformanceCase(
      .live, "token", "results have a token of what they show of others' saves (L3)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.openTracking(CompanyModel.make())
      other.context.transactionAuthor = "other"
      let mine = try stage.openMute(other)
      try CompanyModel.fill(mine.context)
      let context = mine.makeContext()
      let people = try context.live(context.request("Person", "age >= 30", []))
      try expectEqual(people.token, nil, "nothing was saved yet")
      try context.named("Person", "Eve").set("age", 30)
      context.processPendingChanges()
      try expectEqual(people.count, 3)
      try expectEqual(people.token, nil, "nor now")
      func expectCovered(_ token: PersistentHistoryToken) throws {
        let later = try mine.history(after: token)
        try expect(!later.contains { $0.author == "other" }, "what is later is shown")
      }
      try other.context.named("Person", "Ada").set("age", 3)
      try other.context.save()
      // Own saves come after the other's save, which is not shown yet, so they do not set the token.
      try context.save()
      let sibling = mine.makeContext()
      try sibling.named("Person", "Bob").set("age", 31)
      try sibling.save()
      context.processPendingChanges()
      try expectEqual(people.count, 4, "nobody has looked")
      try expectEqual(people.token, nil, "so nothing is said of what came before")
      RemoteChanges(to: mine.coordinator).look()
      context.processPendingChanges()
      try expectEqual(people.count, 3)
      let token = try require(people.token, "that of another coordinator")
      try expectCovered(token)
      people.stop()
      try expectEqual(people.token, token, "it stays")
    },
    remote("remote", "what other coordinators save is shown, by the history (L2, H20)", true),
    remote(
      "remote-without", "what other coordinators save is shown without a history, too (L11)",
      false),
    ConformanceCase(
      .live, "controller-remote",
      "a controller shows what other coordinators save where its context merges (L2)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.openTracking(CompanyModel.make())
      try CompanyModel.fill(other.context)
      let mine = try stage.openMute(other)
      let contexts = (0..<2).map { _ in mine.makeContext() }
      contexts[0].automaticallyMergesChangesFromParent = true
      let controllers = try contexts.map { context in
        let controller = FetchedResultsController(
          fetchRequest: try context.request("Person", "age >= 30", []),
          managedObjectContext: context)
        try controller.performFetch()
        return controller
      }
      func names(_ number: Int) throws -> [String?] {
        contexts[number].processPendingChanges()
        return try controllers[number].fetchedObjects?.map { try $0.text("name") } ?? []
      }
      try other.context.named("Person", "Eve").set("age", 30)
      other.context.delete(try other.context.named("Person", "Dan"))
      try other.context.save()
      RemoteChanges(to: mine.coordinator).look()
      try expectEqual(try names(0), ["Ada", "Eve"], "a context that merges what others save")
      try expectEqual(try names(1), ["Ada", "Dan"], "one that does not")
    },
    company("snapshot", "with the consistency snapshot each state is one fetch (L3)") { stack in
      let context = stack.context
      var options = own
      options.consistency = .snapshot
      let people = try LiveWatch(
        context, context.request("Person", "age >= 30", []), options: options)
      let other = stack.makeContext()
      try other.named("Person", "Eve").set("age", 30)
      try other.save()
      try other.named("Person", "Ada").set("age", 3)
      try other.save()
      let fetches = stack.coordinator.counters.fetches
      context.processPendingChanges()
      try expectEqual(stack.coordinator.counters.fetches - fetches, 1, "the fetches")
      try people.expect(["Dan", "Eve"])
    },
    ConformanceCase(
      .live, "monotone", "results never go back while several contexts save (L3)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let mine = try stage.openTracking(CompanyModel.make())
      try CompanyModel.fill(mine.context)
      let other = try stage.openSame(mine)
      let (coordinator, writer) = (mine.coordinator, other.coordinator)
      let rounds = 60
      let ended = EndedThreads()
      try Threads.run(3) { number in
        let context = ManagedObjectContext(
          .privateQueue, coordinator: number == 0 ? writer : coordinator)
        guard number == 2 else {
          // Ada's age is set by another coordinator, and Dan's by another context of this one.
          defer { ended.add() }
          for round in 1...rounds {
            try context.named("Person", number == 0 ? "Ada" : "Dan").set("age", 100 + round)
            try context.save()
          }
          return
        }
        let people = try context.live(context.request("Person", "age >= 30", []))
        var shown: [String: Int64] = [:]
        var isLast = false
        while !isLast {
          isLast = ended.count == 2
          RemoteChanges(to: coordinator).look()
          context.processPendingChanges()
          for person in people {
            let (name, age) = (try person.text("name") ?? "", try person.number("age") ?? 0)
            let last = shown.updateValue(age, forKey: name) ?? 0
            try expect(age >= last, "\(name) goes from \(last) to \(age)")
          }
        }
        let age = Int64(100 + rounds)
        try expectEqual(shown, ["Ada": age, "Dan": age], "what is shown at last")
      }
    },
    ConformanceCase(
      .live, "pinned", "a context that reads one snapshot cannot show what others save (L2)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      try context.setQueryGenerationFrom(.current)
      let request = try context.request("Person", nil, [])
      try expectError(.invalidRequest, "live results of everything") {
        _ = try context.live(request)
      }
      var options = LiveOptions()
      options.scope = .thisContext
      let people = try context.live(request, options: options)
      try expectEqual(people.count, 5)
      try context.make("Person", ["name": "Zoe"])
      context.processPendingChanges()
      try expectEqual(people.count, 6)
    },
  ]

  private static func remote(
    _ name: String, _ title: String, _ tracks: Bool,
    makeChild: (@Sendable (ManagedObjectContext) -> ManagedObjectContext)? = nil
  ) -> ConformanceCase {
    let needs: Set<ConformanceFacet> = tracks ? [.history] : []
    return ConformanceCase(
      .live, name, title, needs: needs.union([.secondHandle, .changeMarks])
    ) { stage in
      let model = CompanyModel.make()
      let mine = try tracks ? stage.openTracking(model) : stage.open(model)
      try CompanyModel.fill(mine.context)
      let other = try stage.openSame(mine)
      let parent = mine.makeContext()
      let context = makeChild?(parent) ?? parent
      if makeChild != nil { parent.mergesRemoteChanges = true }
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      let rich = try LiveWatch(
        context, context.request("Person", "department.budget >= 1000", []))
      try people.expect(["Ada", "Dan"])
      try rich.expect(["Ada", "Bob"])
      try other.context.named("Person", "Eve").set("age", 30)
      try other.context.named("Department", "Sales").set("budget", Decimal(9999))
      other.context.delete(try other.context.named("Person", "Dan"))
      try other.save("Zoe")
      RemoteChanges(to: mine.coordinator).look()
      parent.processPendingChanges()
      context.processPendingChanges()
      try people.expect(["Ada", "Eve"])
      try rich.expect(["Ada", "Bob", "Cleo"])
      let update = BatchUpdateRequest(entityName: "Person")
      update.propertiesToUpdate = ["age": 70]
      update.predicate = try FetchPredicate("name == 'Zoe'")
      _ = try other.context.execute(update)
      RemoteChanges(to: mine.coordinator).look()
      parent.processPendingChanges()
      context.processPendingChanges()
      try people.expect(["Ada", "Eve", "Zoe"], "+Zoe 2")
      for watch in [people, rich] { try watch.expectSameAsFetch() }
    }
  }
}

/// Counts the threads that have ended.
private final class EndedThreads: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}
